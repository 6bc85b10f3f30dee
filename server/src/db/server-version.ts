import type { Connection } from './database.ts';
import { StorageError } from './errors.ts';

const oldestServer = 15;

export interface ServerState {
  readonly version: string;
  readonly readOnly: boolean;
  /** True if the schema exists, or the role may create it. */
  readonly mayCreate: boolean;
  readonly role: string;
  readonly name: string;
  readonly time: Date;
}

export async function inspectServer(database: Connection): Promise<ServerState> {
  const [state] = await database.query<ServerState>(
    `select current_setting('server_version') as version, current_setting('transaction_read_only') = 'on' as "readOnly",
            has_database_privilege(current_database(), 'create') or to_regnamespace('anagrafe') is not null as "mayCreate",
            current_user as role, current_database() as name, clock_timestamp() as time`,
  );
  return state as ServerState;
}

/** Throws a `StorageError` if the server is too old, is a standby, or has an encoding other than UTF8. */
export async function checkServer(database: Connection): Promise<void> {
  const [server] = await database.query<{ version: string; encoding: string; standby: boolean }>(
    `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
            pg_is_in_recovery() as standby`,
  );
  if (Number.parseInt(server?.version ?? '', 10) < oldestServer) {
    throw new StorageError(
      `PostgreSQL ${server?.version} is not supported; version ${oldestServer} or newer is required`,
      { code: 'database_version_unsupported' },
    );
  }
  if (server?.encoding !== 'UTF8') {
    throw new StorageError(`the database has the encoding ${server?.encoding}`, {
      code: 'database_encoding_unsupported',
      advice: 'create a database with the encoding UTF8',
    });
  }
  if (server.standby)
    throw new StorageError('the database is a standby server, which does not accept writes', {
      code: 'database_standby',
      advice: 'connect to the primary server',
    });
}
