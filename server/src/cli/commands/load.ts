import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { prepareRestored, skippedIds } from '../../backup/check-restored.ts';
import { type DumpFile, readLabel } from '../../dump/dump-format.ts';
import { checkHeader, loadDump } from '../../dump/load-dump.ts';
import { inspectEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';
import type { KeyRing } from '../../encryption/key-ring.ts';
import { createChunkQueue } from '../../jobs/chunk-queue.ts';
import { enqueueAllChunks } from '../../jobs/jobs.store.ts';
import { OperatorError } from '../../lib/operator-error.ts';
import { openQueue } from '../../queue/queue.ts';
import type { Config } from '../../settings/config.ts';
import { openStore, type Store } from '../../store.ts';
import { grouped } from '../output/format.ts';
import { LiveLine } from '../output/live-line.ts';
import { print, tell } from '../output/output.ts';
import {
  anyTimeline,
  checkWithKeys,
  type Restored,
  repeatDeletions,
  requireErasureLog,
  requireKeyOf,
  tellErasures,
} from '../restored-backup.ts';
import { configFor, type SettingsOptions } from '../settings.ts';
import { tellContents } from './backup.ts';
import { inMegabytes } from './dump.ts';

interface LoadOptions extends SettingsOptions {
  readonly erasures?: string;
  readonly json?: boolean;
}

export function loadCommand(): Command {
  return new Command('load')
    .description('load a dump into an empty database')
    .argument('<file>', 'file that "anagrafe dump" has written')
    .option(
      '--erasures <file>',
      'repeat the deletions in this file, erasures.ndjson of the folder of the backups, since the dump',
    )
    .option('--json', 'print what was loaded as JSON')
    .addHelpText(
      'after',
      '\nThe database is that of the settings: a new data folder, or an empty database with ANAGRAFE_DATABASE_URL. It gets the' +
        '\nmaster key of the dump: copy master.key into the data folder, or set ANAGRAFE_MASTER_KEY. Everything is written in' +
        '\none transaction, once the file was found complete and unchanged. The command updates the schema, counts the users,' +
        '\nverifies the audit log and skips 1,000,000 IDs. Jobs that have not ended continue when the service starts.' +
        '\n\nExample:\n  ANAGRAFE_DATA=/var/lib/anagrafe-new anagrafe load /mnt/backups/anagrafe.dump',
    )
    .action(load);
}

async function load(path: string, { json, erasures, ...options }: LoadOptions): Promise<void> {
  const config = configFor(options);
  const file = await readLabel(path);
  const keyRing = await requireKeyOf(`The dump ${path}`, file.label.masterKey, config);
  await checkHeader(path, file, keyRing);
  if (erasures !== undefined) await requireErasureLog(erasures);
  const loaded = await loadInto(config, { path, file, keyRing, erasures });
  if (!loaded.audit.sound) process.exitCode = 1;
  if (json) return print(JSON.stringify(loaded));
  tellContents(path, loaded);
  if (erasures !== undefined) tellErasures(loaded.erased, erasures);
  tell(
    `Loaded into ${loaded.place}. New principals and users get IDs that are at least ${grouped(skippedIds)} higher.`,
  );
}

interface Dump {
  readonly path: string;
  readonly file: DumpFile;
  readonly keyRing: KeyRing;
  /** The erasure log to apply, if any. */
  readonly erasures: string | undefined;
}

interface Loaded extends Restored {
  readonly place: string;
}

/** Loads a dump into the database of the settings. After an error, a cluster that was created for it is removed. */
async function loadInto(config: Config, dump: Dump): Promise<Loaded> {
  const isNew =
    config.DATABASE_URL === null &&
    (await inspectEmbeddedPostgres(config.DATA, config.POSTGRES_BIN)).cluster === 'none';
  const store = await openStore(config, { mode: 'create', log: () => {} });
  let [isWritten, isLoaded] = [false, false];
  try {
    await loadFile(store, dump);
    isWritten = true;
    await prepareRestored(store.database);
    const erased =
      dump.erasures === undefined
        ? null
        : await repeatDeletions(store.database, { path: dump.erasures, timeline: anyTimeline });
    const contents = await checkWithKeys(store.database, dump.keyRing, config);
    await enqueueJobs(store);
    isLoaded = true;
    return { ...contents, erased, place: store.place };
  } catch (error) {
    if (isNew || !isWritten) throw error;
    throw new OperatorError(
      `${store.place} has the contents of the dump, but is not complete: ${String(error)}`,
      {
        code: 'load_incomplete',
        advice: 'drop the database, create it again, and load the dump again.',
      },
    );
  } finally {
    await store.close();
    if (isNew && !isLoaded) await rm(join(config.DATA, 'postgres'), { recursive: true, force: true });
  }
}

async function loadFile(store: Store, { path, file, keyRing }: Dump): Promise<void> {
  const line = new LiveLine();
  try {
    await loadDump(path, file, store, {
      keyRing,
      onProgress: (table, bytes) => line.show(inMegabytes(`Writing ${table}`, bytes)),
    });
  } finally {
    line.end();
  }
}

/** A dump has the jobs, but not the messages of the queue by which workers find their chunks. */
async function enqueueJobs({ database, listen }: Store): Promise<void> {
  const queue = await openQueue({ database, listen, onError: ({ message }) => tell(message) });
  try {
    await createChunkQueue(queue);
    await enqueueAllChunks(queue, database);
  } finally {
    await queue.stop();
  }
}
