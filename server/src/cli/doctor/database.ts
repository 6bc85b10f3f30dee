import { countPending } from '../../audit/hash-chain.store.ts';
import { openAccess } from '../../clients/clients.store.ts';
import type { Database } from '../../db/database.ts';
import { missingMigrations } from '../../db/migrations.ts';
import { checkServer, inspectServer, type ServerState } from '../../db/server-version.ts';
import {
  type EmbeddedPostgresState,
  inspectEmbeddedPostgres,
} from '../../embedded-postgres/embedded-postgres.ts';
import { openRetention } from '../../retention.ts';
import type { Config } from '../../settings/config.ts';
import { openStore } from '../../store.ts';
import { examineBackups, examineDataFolder, examineMasterKey } from './data-folder.ts';
import { errorFinding, type Finding, finding } from './findings.ts';
import { isOpenToOthers } from './machine.ts';

/** Queries measured after the first one, which opens the connection. The fastest one counts. */
const roundTrips = 3;

/** Checks the database without writing to it. `withKey` is false if the setting of the master key is invalid. */
async function* examineDatabase(
  database: Database,
  config: Config,
  { withKey }: { withKey: boolean },
): AsyncGenerator<Finding> {
  const { server, seconds, middle } = await timed(database);
  yield await describeDatabase(server, database, seconds);
  yield clockFinding(Math.abs(server.time.getTime() - middle) / 1000);

  const missing = await missingMigrations(database).catch((error) =>
    errorFinding('schema', error, 'Upgrade the service.'),
  );
  if (!Array.isArray(missing)) return yield missing;
  if (missing.length > 0) {
    yield server.mayCreate
      ? finding('schema_outdated', { missing: missing.length, newest: missing.at(-1) ?? '' })
      : finding('schema_not_permitted', { role: server.role, database: server.name });
    return;
  }
  yield finding('schema_current');
  if (withKey) yield await examineMasterKey(database, config);
  yield await protectedMode(database, config);
  yield await examineRetention(database, config);
  yield await examineHashChain(database);
}

async function examineRetention(database: Database, config: Config): Promise<Finding> {
  const counts = Object.entries(await openRetention(config).countOverdue(database));
  const overdue = counts.filter(([, rows]) => rows > 0);
  return overdue.length === 0
    ? finding('retention_current')
    : finding('retention_overdue', { rows: Object.fromEntries(overdue) });
}

/** A row without a hash is usually in the hash chain within a second. */
const pendingSeconds = 60;

async function examineHashChain(database: Database): Promise<Finding> {
  const rows = await countPending(database, pendingSeconds);
  return rows === 0 ? finding('hash_chain_current') : finding('hash_chain_behind', { rows });
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
    (error) => errorFinding('database', error, 'Set ANAGRAFE_DATABASE_URL to another database.'),
  );
  if (unfit) return unfit;
  const fields = { version: server.version, milliseconds: seconds * 1000 };
  if (server.readOnly) return finding('database_read_only', fields);
  return finding(seconds < slowSeconds ? 'database_ready' : 'database_slow', fields);
}

const clockSlackSeconds = 2;
/** Receivers of webhooks reject messages whose timestamp differs by more than this. */
const clockLimitSeconds = 300;

/** `seconds` is the difference between the clocks. */
export function clockFinding(seconds: number): Finding {
  if (seconds <= clockSlackSeconds) return finding('clocks_equal');
  return finding(seconds > clockLimitSeconds ? 'clocks_too_different' : 'clocks_differ', { seconds });
}

async function protectedMode(database: Database, config: Config): Promise<Finding> {
  if (await openAccess(database).hasClients()) return finding('client_required');
  if (config.FIRST_CLIENT !== null) return finding('first_client_configured');
  return isOpenToOthers(config)
    ? finding('protected_mode_exposed', { host: config.HOST })
    : finding('protected_mode');
}

const connectMs = 15_000;

export async function* examineStore(
  config: Config,
  { withKey }: { withKey: boolean },
): AsyncGenerator<Finding> {
  if (config.DATABASE_URL === null) {
    const places = await examineDataFolder(config.DATA);
    yield* places;
    // PostgreSQL cannot run without write access or disk space.
    if (places.some(({ severity }) => severity === 'error')) return;
    const engine = await inspectEmbeddedPostgres(config.DATA, config.POSTGRES_BIN).catch((error) =>
      errorFinding('PostgreSQL', error, 'Fix the problem, then run doctor again.'),
    );
    if ('check' in engine) return yield engine;
    yield embeddedFinding(engine);
    if (engine.cluster === 'none' || engine.cluster === 'crashed') return;
  }
  try {
    const store = await openStore(config, { mode: 'existing', log: () => {}, connectMs });
    try {
      await store.refuseTransactionPooling();
      if (config.DATABASE_URL === null) yield await examineBackups(store.database, config);
      yield* examineDatabase(store.database, config, { withKey });
    } finally {
      await store.close();
    }
  } catch (error) {
    yield errorFinding('database', error, 'Check the role and the database in ANAGRAFE_DATABASE_URL.');
  }
}

function embeddedFinding({ cluster, pid, ready, ...state }: EmbeddedPostgresState): Finding {
  const fields = { ...state, programsReady: ready };
  if (cluster === 'running') return finding('embedded_postgres_running', { ...fields, pid });
  return finding(cluster === 'none' ? 'embedded_postgres_new' : `embedded_postgres_${cluster}`, fields);
}
