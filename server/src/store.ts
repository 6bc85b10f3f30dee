import type pg from 'pg';
import { type Config, settings } from './config.ts';
import { type Engine, openEngine, visitEngine } from './engine/engine.ts';
import { type Listener, listenForWork } from './storage/announcements.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { type OutageEvents, OutageMonitor } from './storage/outage.ts';
import { refuseTransactionPooling } from './storage/pooling.ts';

/** The database that the settings name, with the embedded engine under it where there is one. */
export interface Store {
  readonly database: Database;
  /** Connections of its own for what must not wait behind the work: who calls, and whether the database answers. */
  readonly front: Database;
  /** Connections of its own for the queue and the sequencer, which must not wait either. */
  readonly queue: Database;
  /** Throws where a connection pooler loses the state of sessions. */
  refuseTransactionPooling(): Promise<void>;
  /** Has `heard` called whenever some node announces work. */
  listen(heard: () => void): Listener;
  /** Where it is, in words. */
  readonly place: string;
  close(): Promise<void>;
}

interface StoreOptions {
  /** The service holds the data folder for itself; a command only pays a visit, a founder may make the store. */
  readonly as: 'service' | 'visitor' | 'founder';
  /** How long to wait for a connection. */
  readonly connectMs?: number;
  log(message: string): void;
  /** Takes the begin and the end of an outage; without it each lost connection is logged. */
  readonly outage?: OutageEvents;
}

const frontConnections = 3;
const queueConnections = 3;

export async function openStore(config: Config, options: StoreOptions): Promise<Store> {
  const engine = config.DATABASE_URL === null ? await startEngine(config, options) : null;
  const connection: pg.PoolConfig = engine
    ? engine.connection
    : { connectionString: config.DATABASE_URL ?? '' };
  const outages = options.outage && new OutageMonitor(options.outage);
  const open = (poolSize: number) =>
    openDatabase({
      connection,
      poolSize,
      writable: options.as !== 'visitor',
      ...(options.connectMs !== undefined && { connectMs: options.connectMs }),
      ...(outages && { outages }),
      onLostConnection: (error) => options.log(`A connection to the database was lost: ${error.message}`),
    });
  const database = open(config.DATABASE_CONNECTIONS);
  const front = open(frontConnections);
  const queue = open(queueConnections);
  return {
    database,
    front,
    queue,
    async refuseTransactionPooling() {
      if (!engine) await refuseTransactionPooling(connection, options.connectMs);
    },
    listen: (heard) => listenForWork(connection, heard),
    place: engine ? config.DATA : settings.DATABASE_URL.show(config.DATABASE_URL),
    async close() {
      await Promise.all([database.close(), front.close(), queue.close()]);
      await engine?.stop();
    },
  };
}

function startEngine(config: Config, { as, log }: StoreOptions): Promise<Engine> {
  if (as === 'service') return openEngine({ dataFolder: config.DATA, log });
  return visitEngine({ dataFolder: config.DATA, log, mayCreate: as === 'founder' });
}
