import { openAccess } from '../../clients/clients.store.ts';
import { type Config, prefix } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { missingMigrations } from '../../db/migrations.ts';
import { checkServer, inspectServer, type ServerState } from '../../db/server-version.ts';
import {
  type EmbeddedPostgresState,
  inspectEmbeddedPostgres,
} from '../../embedded-postgres/embedded-postgres.ts';
import { openStore } from '../../store.ts';
import { examineDataFolder, examineMasterKey } from './data-folder.ts';
import { type Finding, fail, failure, ok, warn } from './findings.ts';
import { isOpenToOthers } from './machine.ts';

/** Queries measured after the first one, which opens the connection. The fastest one counts. */
const roundTrips = 3;

/** Checks the database without writing to it. `withKey` is false if the setting of the master key is invalid. */
export async function* examineDatabase(
  database: Database,
  config: Config,
  { withKey }: { withKey: boolean },
): AsyncGenerator<Finding> {
  const { server, seconds, middle } = await timed(database);
  yield await describeDatabase(server, database, seconds);
  yield clockFinding(Math.abs(server.time.getTime() - middle) / 1000);

  const missing = await missingMigrations(database).catch((error) =>
    failure('schema', error, 'Upgrade the service.'),
  );
  if (!Array.isArray(missing)) return yield missing;
  if (missing.length > 0) {
    yield server.mayCreate
      ? warn(
          'schema',
          `${missing.length} migrations are missing, up to ${missing.at(-1)}`,
          'Start the service, or run "npx --no -- anagrafe migrate".',
        )
      : fail(
          'schema',
          `the role ${server.role} may not create one`,
          `Give it that: GRANT CREATE ON DATABASE ${server.name} TO ${server.role}.`,
        );
    return;
  }
  yield ok('schema', 'up to date');
  if (withKey) yield await examineMasterKey(database, config);
  yield await protectedMode(database, config);
}

async function timed(database: Database) {
  let best: { server: ServerState; seconds: number; middle: number } | undefined;
  for (let round = 0; round <= roundTrips; round++) {
    const [began, from] = [Date.now(), performance.now()];
    const server = await inspectServer(database);
    const seconds = (performance.now() - from) / 1000;
    if (!best || seconds < best.seconds) best = { server, seconds, middle: began + seconds * 500 };
  }
  return best as NonNullable<typeof best>;
}

const slowSeconds = 0.02;

async function describeDatabase(server: ServerState, database: Database, seconds: number): Promise<Finding> {
  const unfit = await checkServer(database).then(
    () => null,
    (error) => failure('database', error, 'Name another in ANAGRAFE_DATABASE_URL.'),
  );
  if (unfit) return unfit;
  const found = `PostgreSQL ${server.version}, answers in ${(seconds * 1000).toFixed(1)} ms`;
  if (server.readOnly)
    return fail(
      'database',
      `${found}; it takes no writes`,
      'Name the primary, or set default_transaction_read_only to off for the role.',
    );
  if (seconds < slowSeconds) return ok('database', found);
  return warn('database', found, 'Every record waits for it several times: run the service nearer to it.');
}

const clockSlackSeconds = 2;
/** Receivers of webhooks reject messages whose timestamp differs by more than this. */
const clockLimitSeconds = 300;

/** `apart` is the difference in seconds. */
export function clockFinding(apart: number): Finding {
  if (apart <= clockSlackSeconds) return ok('clock', 'this machine and the database have the same time');
  const found = `this machine and the database are ${apart.toFixed(0)} seconds apart`;
  return (apart > clockLimitSeconds ? fail : warn)(
    'clock',
    found,
    'Have both set their clocks over the network (NTP).',
  );
}

async function protectedMode(database: Database, config: Config): Promise<Finding> {
  if (await openAccess(database).hasClients()) return ok('access', 'callers need an API client');
  if (config.FIRST_CLIENT !== null)
    return ok('access', `the next start creates the API client of ${prefix}FIRST_CLIENT`);
  const todo = 'Before anyone else may call: npx --no -- anagrafe client create --name erp';
  const found =
    'protected mode: there is no API client yet, and programs on this machine may call without one';
  return isOpenToOthers(config)
    ? fail(
        'access',
        `there is no API client yet, and ${prefix}HOST is ${config.HOST}: the service does not start`,
        todo,
      )
    : warn('access', found, todo);
}

const connectMs = 15_000;

/** Checks the data folder, the embedded PostgreSQL and the database, as far as they exist. */
export async function* examineStore(
  config: Config,
  { withKey }: { withKey: boolean },
): AsyncGenerator<Finding> {
  if (config.DATABASE_URL === null) {
    const places = await examineDataFolder(config.DATA);
    yield* places;
    // PostgreSQL cannot run without write access or disk space.
    if (places.some(({ state }) => state === 'fail')) return;
    const engine = await inspectEmbeddedPostgres(config.DATA).catch((error) =>
      failure('engine', error, 'Mend it, and look again.'),
    );
    if ('check' in engine) return yield engine;
    yield describeStore(engine);
    if (engine.cluster === 'none' || engine.cluster === 'broken off') return;
  }
  try {
    const store = await openStore(config, { as: 'visitor', log: () => {}, connectMs });
    try {
      await store.refuseTransactionPooling();
      yield* examineDatabase(store.database, config, { withKey });
    } finally {
      await store.close();
    }
  } catch (error) {
    yield failure('database', error, 'Check the role and the database that ANAGRAFE_DATABASE_URL names.');
  }
}

const clusters: Record<EmbeddedPostgresState['cluster'], (state: EmbeddedPostgresState) => string> = {
  none: () => 'its data is made by the first start',
  running: ({ pid }) => `it runs (process ${pid})`,
  stopped: () => 'it does not run now',
  'broken off': () => 'it was ended without being stopped',
};

function describeStore(state: EmbeddedPostgresState): Finding {
  const programs = state.ready ? '' : '; its programs are set up by the first start';
  const found = `the embedded PostgreSQL ${state.major} (package ${state.version}), as user ${state.owner}; ${clusters[state.cluster](state)}${programs}`;
  if (state.cluster !== 'broken off') return ok('engine', found);
  return warn('engine', found, 'Start the service: it recovers by itself. Then look again.');
}
