import type pg from 'pg';
import { type Database, openDatabase } from './db/database.ts';
import { NoAnswer } from './db/errors.ts';
import { type Listener, listen, type Subscription } from './db/listen.ts';
import { type OutageEvents, OutageMonitor } from './db/outage.ts';
import { refuseTransactionPooling } from './db/pooling.ts';
import type { TraceStatement } from './db/send-statements.ts';
import {
  type Connection,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  visitEmbeddedPostgres,
} from './embedded-postgres/embedded-postgres.ts';
import { KeyRing, readMasterKeys } from './encryption/key-ring.ts';
import { exportLimits } from './records/read/export.ts';
import { type Config, settings } from './settings/config.ts';
import { shortId } from './settings/master-key-file.ts';

/** Connection pools of the configured database. Includes the embedded PostgreSQL if no external one is configured. */
export interface Store {
  readonly database: Database;
  /** Separate pool for authentication and console sessions, so that bulk writes do not delay them. */
  readonly front: Database;
  /** Separate pool for the job queue, the hash chain and the creation of deliveries, for the same reason. */
  readonly queue: Database;
  /** Separate pool for exports, which keep their connections as long as their clients read. */
  readonly exports: Database;
  /** Throws if a connection pooler does not keep the state of database sessions. */
  refuseTransactionPooling(): Promise<void>;
  listen(subscription: Subscription): Listener;
  /** For connections of another kind, such as those of `COPY`. */
  readonly connection: pg.ClientConfig;
  /** The embedded PostgreSQL; null if the database is another one. */
  readonly embedded: Connection | null;
  /** Data folder, or database URL with a masked password, for messages. */
  readonly place: string;
  close(): Promise<void>;
}

interface StoreOptions {
  /**
   * `exclusive` locks the data folder, for the service. `existing` requires a store that was created before, `create`
   * creates a missing one.
   */
  readonly mode: 'exclusive' | 'existing' | 'create';
  readonly connectMs?: number;
  log(message: string): void;
  /** Receives the start and the end of an outage. Without it each lost connection is logged. */
  readonly outage?: OutageEvents;
  readonly traceStatement?: TraceStatement | null;
}

const frontConnections = 3;
const queueConnections = 3;
const exportConnections = exportLimits.atOnce;

export async function openStore(config: Config, options: StoreOptions): Promise<Store> {
  const engine = config.DATABASE_URL === null ? await startEngine(config, options) : null;
  const connection = engine?.connection ?? { connectionString: config.DATABASE_URL ?? '' };
  const outages = options.outage && new OutageMonitor(options.outage);
  const onLostConnection = (error: Error) =>
    options.log(`A connection to the database was lost: ${error.message}`);
  const open = (poolSize: number) =>
    openDatabase({
      connection,
      poolSize,
      writable: options.mode !== 'existing',
      ...(options.connectMs !== undefined && { connectMs: options.connectMs }),
      ...(outages && { outages }),
      traceStatement: options.traceStatement ?? null,
      onLostConnection,
    });
  const database = open(config.DATABASE_CONNECTIONS);
  const front = open(frontConnections);
  const queue = open(queueConnections);
  const exports = open(exportConnections);
  return {
    database,
    front,
    queue,
    exports,
    async refuseTransactionPooling() {
      if (!engine) await refuseTransactionPooling(connection, options.connectMs);
    },
    listen: (subscription) =>
      listen({ ...connection, application_name: nodeName(config) }, subscription, (error) => {
        if (!outages?.failed(new NoAnswer(error))) onLostConnection(error);
      }),
    connection,
    embedded: engine?.connection ?? null,
    place: engine ? config.DATA : settings.DATABASE_URL.show(config.DATABASE_URL),
    async close() {
      await Promise.all([database.close(), front.close(), queue.close(), exports.close()]);
      await engine?.stop();
    },
  };
}

/** Names the connection of a node that listens, with the master keys of its settings: `key rotate` requires the new one on all. */
function nodeName({ MASTER_KEY }: Config): string {
  const keys = MASTER_KEY === null ? [] : (readMasterKeys(MASTER_KEY) ?? []);
  return keys.length === 0
    ? 'anagrafe'
    : `anagrafe node ${new KeyRing(...keys).identities.map(shortId).join()}`;
}

function startEngine(config: Config, { mode, log }: StoreOptions): Promise<EmbeddedPostgres> {
  const options = { dataFolder: config.DATA, log, ...clusterOptions(config) };
  if (mode === 'exclusive') return startEmbeddedPostgres(options);
  return visitEmbeddedPostgres({ ...options, mayCreate: mode === 'create' });
}

/** Returns how the embedded PostgreSQL of the settings runs. */
export function clusterOptions({ BACKUP_FOLDER, POSTGRES_BIN }: Config) {
  return { archivesLog: BACKUP_FOLDER !== null, programs: POSTGRES_BIN };
}
