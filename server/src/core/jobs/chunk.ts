import type { Code } from '../codes.ts';
import { ErrorBudget, Faults } from '../faults.ts';
import type { Fields } from '../fields/fields.ts';
import { theService } from '../journal/journal.ts';
import { isSettled, Line, prepareDrafts } from '../records/apply.ts';
import { checkRecords } from '../records/batch.ts';
import { required, sentIdOf } from '../records/draft.ts';
import { BrokenOff, type Hasher } from '../records/hashing.ts';
import type { OperationName, Operations } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';
import { inSlices } from '../records/slices.ts';
import type { Slots } from '../records/slots.ts';
import type { Vault } from '../sealing/vault.ts';
import { type KeptRefusal, keptRefusal } from './kept-refusal.ts';
import { chunkName } from './submit.ts';
import { openRecords, type WaitingRecord } from './waiting-records.ts';

/** So many users are looked up, hashed and written together. */
const usersInSlice = 64;
/** So many users are refused together: the records of one principal may make a chunk of any length. */
const usersRefused = 500;
/** While one slice is being hashed, the next one is got ready. */
const slicesAtOnce = 2;
/** A chunk that broke off so often is not going to succeed. */
const attemptsMax = 100;

export interface BegunChunk {
  readonly operation: OperationName;
  readonly clientId: number | null;
  /** How often the chunk was begun, this time included. */
  readonly attempts: number;
  readonly cancelled: boolean;
  readonly wrappedKey: Buffer;
  readonly sealed: Buffer;
  /** Of all its records. */
  readonly positions: readonly number[];
  /** The positions in the call that have their outcome already. */
  readonly done: ReadonlySet<number>;
}

export interface ChunkStore {
  /** Null where there is nothing left to do. */
  begin(callId: string, number: number): Promise<BegunChunk | null>;
  isCancelled(callId: string): Promise<boolean>;
  /** Keeps the outcomes of records that were not applied; one that is kept already stays. The positions of the new ones. */
  refuse(callId: string, refusals: readonly KeptRefusal[]): Promise<ReadonlySet<number>>;
  /** Forgets the chunk and, with the last one, the key of the job. */
  end(callId: string, number: number): Promise<void>;
}

export interface ChunkTools {
  readonly store: ChunkStore;
  readonly operations: Operations;
  readonly hasher: Hasher;
  readonly vault: Vault;
  /** For the writes of all chunks of this node, so that the calls find connections free. */
  readonly writes: Slots;
  /** Told what became of records, once it is certain. */
  onOutcomes(operation: OperationName, outcomes: readonly Outcome[]): void;
  report(error: unknown): void;
}

/** A chunk that is being worked on. */
interface ChunkRun {
  readonly callId: string;
  readonly chunk: Pick<BegunChunk, 'operation' | 'clientId' | 'attempts' | 'cancelled'>;
  /** Those that have no outcome yet. */
  readonly left: readonly WaitingRecord[];
  /** Whether they could be read; where they cannot, nobody ever will. */
  readonly readable: boolean;
  readonly tools: ChunkTools;
  /** Told when to break off. */
  readonly signal: AbortSignal;
}

/**
 * Applies what is left of a chunk. A record's outcome is written together with the record, so that a chunk can be
 * broken off anywhere, begun again, or be worked on by two nodes at once, and nothing is applied twice.
 */
export async function runChunk(
  callId: string,
  number: number,
  tools: ChunkTools,
  signal: AbortSignal,
): Promise<void> {
  const run = await begin(callId, number, tools, signal);
  if (!run) return;
  const { chunk, left, readable } = run;
  if (chunk.cancelled) await refuseAll(left, 'CANCELLED', run);
  else if (!readable || chunk.attempts > attemptsMax) await refuseAll(left, 'RECORD_FAILED', run);
  else await applyRecords(left, run);
  await tools.store.end(callId, number);
}

async function begin(
  callId: string,
  number: number,
  tools: ChunkTools,
  signal: AbortSignal,
): Promise<ChunkRun | null> {
  const begun = await tools.store.begin(callId, number);
  if (!begun) return null;
  // What is encrypted goes as soon as it is opened: a record may be large.
  const { wrappedKey, sealed, positions, done, ...chunk } = begun;
  const open = async () =>
    openRecords(sealed, tools.vault.openJobKey(wrappedKey, callId), chunkName(callId, number));
  const opened = await open().catch((error) => {
    tools.report(error);
    return null;
  });
  const records = opened ?? positions.map(unreadable);
  const left = records.filter(({ position }) => !done.has(position));
  return { callId, chunk, left, readable: opened !== null, tools, signal };
}

/** Told by its position alone. */
function unreadable(position: number): WaitingRecord {
  return { position, users: 0, numbers: { principal: null, users: [] }, fields: async () => ({}) };
}

async function applyRecords(records: readonly WaitingRecord[], run: ChunkRun): Promise<void> {
  const line = new Line();
  const running = new Set<Promise<void>>();
  try {
    // Got ready one after the other, so that records of one principal join the line in the order sent.
    for (const slice of inSlices(records, usersInSlice, sizeOf)) {
      if (running.size >= slicesAtOnce) await Promise.race(running);
      if (run.signal.aborted) throw new BrokenOff('the service is stopping');
      if (await run.tools.store.isCancelled(run.callId)) {
        await refuseAll(slice, 'CANCELLED', run);
        continue;
      }
      const apply = await prepareSlice(slice, line, run);
      const applying = apply();
      running.add(applying);
      applying.then(() => running.delete(applying)).catch(() => undefined);
    }
  } finally {
    await Promise.allSettled(running);
  }
  await Promise.all(running);
}

async function prepareSlice(
  slice: readonly WaitingRecord[],
  line: Line,
  run: ChunkRun,
): Promise<() => Promise<void>> {
  const { callId, chunk, tools, signal } = run;
  const operation = tools.operations[chunk.operation];
  const drafts = await checkRecords(fieldsOf(slice), operation, operation.newCheck(), new ErrorBudget());
  const positions = new Map(drafts.map((draft, at) => [draft, required(slice[at]).position]));
  const apply = await prepareDrafts(operation, drafts, {
    applicant: {
      author: {
        ...theService,
        actor: chunk.clientId === null ? 'protected' : 'client',
        clientId: chunk.clientId,
      },
      share: String(chunk.clientId),
      breakOff: signal,
      report: tools.report,
    },
    hasher: tools.hasher,
    slots: tools.writes,
    line,
    numbers: new Map(drafts.map((draft, at) => [draft, required(slice[at]).numbers])),
    receiptOf: (draft) => ({ callId, position: required(positions.get(draft)), kept: true }),
  });
  return async () => settle(slice, await apply(), run);
}

async function settle(
  slice: readonly WaitingRecord[],
  outcomes: readonly (Outcome | null)[],
  { callId, chunk, tools }: ChunkRun,
): Promise<void> {
  const own = outcomes.filter((outcome) => outcome !== null);
  const settled = own.filter(isSettled);
  const refusals: KeptRefusal[] = [];
  for (const [at, { position, fields }] of slice.entries()) {
    const outcome = outcomes[at];
    if (outcome?.refusal && isSettled(outcome))
      refusals.push(await keptRefusal(position, chunk.operation, await fields(), outcome));
  }
  const kept = await tools.store.refuse(callId, refusals);
  const applied = settled.filter(({ refusal }) => refusal === null);
  tools.onOutcomes(chunk.operation, [...applied, ...outcomesAt(kept, refusals)]);
  if (settled.length < own.length) throw new BrokenOff('the database did not take every record');
}

async function refuseAll(records: readonly WaitingRecord[], code: Code, run: ChunkRun): Promise<void> {
  const { callId, chunk, tools } = run;
  for (const slice of inSlices(records, usersRefused, sizeOf)) {
    const refusals: KeptRefusal[] = [];
    for (const record of slice) {
      const fields = await record.fields();
      const outcome = { id: sentIdOf(fields), refusal: { code }, faults: new Faults(), users: [] };
      refusals.push(await keptRefusal(record.position, chunk.operation, fields, outcome));
    }
    const kept = await tools.store.refuse(callId, refusals);
    tools.onOutcomes(chunk.operation, outcomesAt(kept, refusals));
  }
}

/** Those that count: another node may have settled the others. */
function outcomesAt(positions: ReadonlySet<number>, refusals: readonly KeptRefusal[]): Outcome[] {
  return refusals.filter(({ position }) => positions.has(position)).map(({ outcome }) => outcome);
}

function sizeOf({ users }: WaitingRecord): number {
  return users;
}

async function* fieldsOf(records: readonly WaitingRecord[]): AsyncGenerator<Fields> {
  for (const record of records) yield record.fields();
}
