import type pg from 'pg';
import type { Config } from './config.ts';
import { type Engine, openEngine, visitEngine } from './engine/engine.ts';
import { type Database, openDatabase } from './storage/database.ts';

/** The database that the settings name, with the embedded engine under it where there is one. */
export interface Store {
  readonly database: Database;
  readonly embedded: boolean;
  close(): Promise<void>;
}

interface StoreOptions {
  /** The service holds the data folder for itself; a command only pays a visit. */
  readonly as: 'service' | 'visitor';
  log(message: string): void;
}

export async function openStore(config: Config, options: StoreOptions): Promise<Store> {
  const engine = config.DATABASE_URL === null ? await startEngine(config, options) : null;
  const connection: pg.PoolConfig = engine
    ? engine.connection
    : { connectionString: config.DATABASE_URL ?? '' };
  const database = openDatabase({
    connection,
    poolSize: config.DATABASE_CONNECTIONS,
    onIdleError: (error) => options.log(`A connection to the database was lost: ${error.message}`),
  });
  return {
    database,
    embedded: engine !== null,
    async close() {
      await database.close();
      await engine?.stop();
    },
  };
}

function startEngine(config: Config, { as, log }: StoreOptions): Promise<Engine> {
  const start = as === 'service' ? openEngine : visitEngine;
  return start({ dataFolder: config.DATA, log });
}
