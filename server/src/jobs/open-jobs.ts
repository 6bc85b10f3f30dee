import { availableParallelism } from 'node:os';
import type { Database } from '../db/database.ts';
import type { CodeIssuer } from '../passwords/password-code.ts';
import type { Queue } from '../queue/queue.ts';
import type { RecordWriter, WriterOptions } from '../records/write/record-writer.ts';
import type { Config } from '../settings/config.ts';
import { createChunkQueue, workOnChunks } from './chunk-queue.ts';
import { openChunks } from './chunks.store.ts';
import { type JobInvitationStore, openJobInvitations } from './job-invitations.store.ts';
import { type JobStore, openJobStore } from './jobs.store.ts';
import type { ChunkTools } from './run-chunk.ts';
import { openSubmissions, type SubmissionStore } from './submissions.store.ts';

export interface Jobs {
  readonly store: JobStore;
  readonly submissions: SubmissionStore;
  readonly invitations: JobInvitationStore;
  readonly issueCode: CodeIssuer;
  /** Starts the workers that run chunks. */
  startWorkers(): Promise<void>;
}

interface JobParts extends Omit<ChunkTools, 'store' | 'writer'> {
  readonly database: Database;
  newWriter(options: WriterOptions): RecordWriter;
  readonly queue: Queue;
  readonly config: Config;
  readonly issueCode: CodeIssuer;
}

export async function openJobs(parts: JobParts): Promise<Jobs> {
  const { database, newWriter, queue, config, issueCode, ...tools } = parts;
  await createChunkQueue(queue);
  return {
    store: openJobStore(database, queue),
    invitations: openJobInvitations(database),
    issueCode,
    submissions: openSubmissions(database, queue, {
      jobs: config.MAX_OPEN_JOBS,
      bytes: config.MAX_OPEN_JOB_BYTES,
    }),
    startWorkers: () =>
      workOnChunks(queue, {
        ...tools,
        store: openChunks(database),
        writer: newWriter({
          writesAtOnce: writesAtOnce(),
          pause: () => tools.hasher.waitForInteractive(),
        }),
      }),
  };
}

/** Parallel writes of jobs: one for each core, because more of them only delay other calls. */
function writesAtOnce(): number {
  return Math.min(Math.max(availableParallelism(), 2), 4);
}
