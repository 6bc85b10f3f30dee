import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { checkPlatform } from './binaries.ts';
import type { Connection } from './connection.ts';
import { EngineError, explain } from './error.ts';
import { type Home, hasCluster, makeHome } from './home.ts';
import { isLastVisit, lockForService, lockForVisit } from './locks.ts';
import { stopPostmaster } from './postmaster.ts';
import { type Reached, reach } from './reach.ts';

export type { Connection } from './connection.ts';
export { EngineError } from './error.ts';

/** The service's own PostgreSQL. */
export interface Engine {
  /** What `pg` needs: socket folder, port, database, user. */
  readonly connection: Connection;
  /** True when a running PostgreSQL, left by a service that was killed, was taken over. */
  readonly adopted: boolean;
  /** Stops PostgreSQL if this process is responsible for it. Safe to call twice. */
  stop(): Promise<void>;
}

export interface EngineOptions {
  readonly dataFolder: string;
  readonly log?: (message: string) => void;
}

const ATTEMPTS = 5;
const RETRY_MS = 2000;

/** For the service: starts or adopts the engine and holds the folder against a second service. */
export async function openEngine({ dataFolder, log = ignore }: EngineOptions): Promise<Engine> {
  checkPlatform();
  const home = await makeHome(dataFolder).catch(rethrow(dataFolder));
  let held: Reached | undefined = await hold(home, log).catch(rethrow(home.data));
  let recovery = Promise.resolve();
  let stopped: Promise<void> | undefined;

  /** When PostgreSQL dies under the service, the service starts it again. */
  function watch({ client }: Reached): void {
    client.once('end', () => {
      held = undefined;
      if (stopped === undefined) recovery = recover();
    });
  }
  async function recover(): Promise<void> {
    log('The connection to PostgreSQL was lost; starting it again');
    while (held === undefined && stopped === undefined) {
      try {
        held = await hold(home, log);
        watch(held);
      } catch (error) {
        log(`PostgreSQL could not be started again. ${explain(error, home.data).message}`);
        await sleep(RETRY_MS);
      }
    }
  }
  async function stop(): Promise<void> {
    await recovery;
    if (held === undefined) return;
    const { client } = held;
    await stopPostmaster(home).catch(rethrow(home.data));
    await leave(client);
  }

  watch(held);
  return {
    connection: held.connection,
    adopted: !held.started,
    stop: () => (stopped ??= stop()),
  };
}

export interface VisitOptions extends EngineOptions {
  /** Whether a folder without a cluster gets one; it does unless told otherwise. */
  readonly mayCreate?: boolean;
}

/** For a command beside the service: uses the running engine, or starts it for the time of the command. */
export async function visitEngine({
  dataFolder,
  log = ignore,
  mayCreate = true,
}: VisitOptions): Promise<Engine> {
  checkPlatform();
  if (!mayCreate && !(await hasCluster(dataFolder))) {
    throw new EngineError(
      `There is no store in ${dataFolder}: run the command where the service runs, or set ANAGRAFE_DATA to its folder.`,
    );
  }
  const home = await makeHome(dataFolder).catch(rethrow(dataFolder));
  const { client, connection } = await enter(() => reach(home, 'visit', log), lockForVisit).catch(
    rethrow(home.data),
  );
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    // Where PostgreSQL went meanwhile, nothing is left to stop.
    const last = await isLastVisit(client).catch(() => false);
    if (last) await stopPostmaster(home).catch(rethrow(home.data));
    await leave(client);
  }
  return { connection, adopted: false, stop: () => (stopped ??= stop()) };
}

/** Reaches PostgreSQL and takes the service's lock, which is kept for the service's life. */
function hold(home: Home, log: (message: string) => void): Promise<Reached> {
  return enter(
    () => reach(home, 'service', log),
    (client) => lockForService(client, home.data),
  );
}

/** Begins anew when the PostgreSQL that was reached goes at that moment, because someone was about to stop it. */
async function enter(
  arrive: () => Promise<Reached>,
  lock: (client: pg.Client) => Promise<void>,
): Promise<Reached> {
  for (let attempt = 1; ; attempt += 1) {
    const reached = await arrive();
    try {
      await lock(reached.client);
      return reached;
    } catch (error) {
      await leave(reached.client);
      if (error instanceof EngineError || attempt === ATTEMPTS) throw error;
    }
  }
}

async function leave(client: pg.Client): Promise<void> {
  await client.end().catch(ignore);
}

function rethrow(dataFolder: string): (error: unknown) => never {
  return (error) => {
    throw explain(error, dataFolder);
  };
}

function ignore(): void {}
