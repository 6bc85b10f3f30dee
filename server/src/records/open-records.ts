import type { Database } from '../db/database.ts';
import type { Blocklist } from '../passwords/blocklist.ts';
import { openPasswordPolicy } from '../passwords/policy.ts';
import type { Config } from '../settings/config.ts';
import { openCheckStore } from './check/check.store.ts';
import type { CallOptions, Operations } from './check/operation.ts';
import { deleteOperation } from './operations/delete.ts';
import { insertOperation } from './operations/insert.ts';
import { inviteOperation } from './operations/invite.ts';
import { mergeOperation } from './operations/merge.ts';
import { openRunStore, type RunStore } from './operations/run.store.ts';
import { stateOperation } from './operations/state.ts';
import { undoOperation } from './operations/undo.ts';
import { updateOperation } from './operations/update.ts';
import { upsertOperation } from './operations/upsert.ts';
import { openExports } from './read/export.store.ts';
import { Exporter } from './read/export.ts';
import { type ListingStore, openListing } from './read/listing.store.ts';
import { RecordWriter, Retries, type WriterOptions } from './write/record-writer.ts';
import { openWriteStore, type WriteStore } from './write/write-changes.store.ts';

export interface Records {
  readonly operations: Operations;
  readonly writeStore: WriteStore;
  readonly principalsTouched: RunStore['principalsTouched'];
  /** Returns a writer for one call, or for all jobs. */
  newWriter(options?: WriterOptions): RecordWriter;
  readonly listing: ListingStore;
  readonly exporter: Exporter;
}

interface RecordParts {
  readonly database: Database;
  readonly exports: Database;
  readonly config: Config;
  readonly blocklist: Blocklist;
  /** True if the service can send mail. */
  readonly sendsMail: boolean;
}

/** `exports` is the pool of exports, which keep their connections as long as their clients read. */
export function openRecords(parts: RecordParts): Records {
  const { database, exports, config, blocklist, sendsMail } = parts;
  const { PASSWORD_HISTORY: history } = config;
  // The stored hash is one of the last passwords, too.
  const passwordsKept = Math.max(history - 1, 0);
  const writeStore = openWriteStore(database, passwordsKept);
  const runStore = openRunStore(database);
  const storeFor = ({ callerTags }: Pick<CallOptions, 'callerTags'>) => openCheckStore(database, callerTags);
  const retries = new Retries();
  const password = openPasswordPolicy(config.PASSWORD_MIN, blocklist);
  const { isLeaked } = blocklist;
  const rules = { requireEmail: config.REQUIRE_EMAIL, password, isLeaked, sendsMail };
  const rulesFor = ({ codes }: Pick<CallOptions, 'codes'>) => ({ ...rules, codes });
  const limits = { maxRecordUsers: config.MAX_RECORD_USERS, maxRemoved: config.MAX_JOB_USERS };
  return {
    operations: {
      update: (options) => updateOperation(storeFor(options), rulesFor(options), options),
      insert: (options) => insertOperation(storeFor(options), rulesFor(options), options),
      upsert: (options) => upsertOperation(storeFor(options), { ...rulesFor(options), ...limits }, options),
      invite: (options) =>
        inviteOperation(
          storeFor(options),
          {
            sendsMail,
            maxRecordUsers: config.MAX_RECORD_USERS,
            maxUsers: { answered: config.MAX_USERS, job: config.MAX_JOB_USERS },
          },
          options,
        ),
      state: (options) => stateOperation(storeFor(options)),
      delete: (options) => deleteOperation(storeFor(options)),
      merge: (options) => mergeOperation(storeFor(options), limits),
      undo: (options) => undoOperation({ ...storeFor(options), ...runStore }, options),
    },
    writeStore,
    principalsTouched: runStore.principalsTouched,
    newWriter: (options) => new RecordWriter(writeStore, { ...options, retries }),
    listing: openListing(database),
    exporter: new Exporter(openExports(exports)),
  };
}
