import type { Database } from '../db/database.ts';
import { openCommonPasswords } from '../passwords/policy.ts';
import type { Config } from '../settings/config.ts';
import type { Operations } from './check/operation.ts';
import { deleteOperation } from './operations/delete.ts';
import { insertOperation } from './operations/insert.ts';
import { mergeOperation } from './operations/merge.ts';
import { openRecordStore } from './operations/records.store.ts';
import { stateOperation } from './operations/state.ts';
import { openUndoStore } from './operations/undo.store.ts';
import { type RunStore, undoOperation } from './operations/undo.ts';
import { updateOperation } from './operations/update.ts';
import { openUpsertStore } from './operations/upsert.store.ts';
import { upsertOperations } from './operations/upsert.ts';
import { openExports } from './read/export.store.ts';
import { Exporter } from './read/export.ts';
import { openListing } from './read/listing.store.ts';
import type { ListingStore } from './read/listing.ts';
import type { RecordStore } from './write/id-reservation.ts';
import { RecordWriter, Retries, type WriterOptions } from './write/record-writer.ts';

export interface Records {
  readonly operations: Operations;
  readonly recordStore: RecordStore;
  readonly principalsTouched: RunStore['principalsTouched'];
  /** Returns a writer for one call, or for all jobs. */
  newWriter(options?: WriterOptions): RecordWriter;
  readonly listing: ListingStore;
  readonly exporter: Exporter;
}

/** `exports` is the pool of exports, which keep their connections as long as their clients read. */
export function openRecords(parts: { database: Database; exports: Database; config: Config }): Records {
  const { database, exports, config } = parts;
  const recordStore = openRecordStore(database);
  const undoStore = openUndoStore(database);
  const retries = new Retries();
  const { isCommon } = openCommonPasswords();
  const password = { minLength: config.PASSWORD_MIN, isCommon };
  const rules = { requireEmail: config.REQUIRE_EMAIL, password };
  const limits = { maxRecordUsers: config.MAX_RECORD_USERS, maxRemoved: config.MAX_JOB_USERS };
  return {
    operations: {
      update: (options) => updateOperation(recordStore, rules, options),
      insert: (options) => insertOperation(recordStore, rules, options),
      state: () => stateOperation(recordStore),
      delete: () => deleteOperation(recordStore),
      upsert: upsertOperations(openUpsertStore(database), {
        ...rules,
        ...limits,
      }),
      merge: () => mergeOperation(openUpsertStore(database), limits),
      undo: (options) => undoOperation(undoStore, options),
    },
    recordStore,
    principalsTouched: undoStore.principalsTouched,
    newWriter: (options) => new RecordWriter(recordStore, { ...options, retries }),
    listing: openListing(database),
    exporter: new Exporter(openExports(exports)),
  };
}
