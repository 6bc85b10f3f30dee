import { type Config, prefix } from '../../config.ts';
import { openAccess } from '../../storage/clients.ts';
import type { Database } from '../../storage/database.ts';
import { missingMigrations } from '../../storage/migrations.ts';
import { checkServer, inspectServer, type ServerState } from '../../storage/server.ts';
import { isOpenToOthers } from './exposure.ts';
import { type Finding, fail, failure, ok, warn } from './finding.ts';
import { examineMasterKey } from './master-key.ts';

/** Of several, the shortest: the first one opens the connection. */
const roundTrips = 3;

/** What the database itself tells; nothing is written to it. */
export async function* examineDatabase(
  database: Database,
  config: Config,
  { withKey }: { withKey: boolean },
): AsyncGenerator<Finding> {
  const { server, seconds, middle } = await timed(database);
  yield await describe(server, database, seconds);
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

async function describe(server: ServerState, database: Database, seconds: number): Promise<Finding> {
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

const clockSlack = 2;
/** Beyond this, receivers refuse what webhooks tell them. */
const clockLimit = 300;

export function clockFinding(apart: number): Finding {
  if (apart <= clockSlack) return ok('clock', 'this machine and the database have the same time');
  const found = `this machine and the database are ${apart.toFixed(0)} seconds apart`;
  return (apart > clockLimit ? fail : warn)(
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
