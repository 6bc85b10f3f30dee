import type { Connection } from './database.ts';

/** A database that cannot be used as it is; the message says what to do. */
export class StorageError extends Error {}

const oldestServer = 15;

/** Refuses a server that the statements of this folder are not made for. */
export async function checkServer(database: Connection): Promise<void> {
  const [server] = await database.query<{ version: string; encoding: string; standby: boolean }>(
    `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
            pg_is_in_recovery() as standby`,
  );
  if (Number.parseInt(server?.version ?? '', 10) < oldestServer) {
    throw new StorageError(
      `the database is PostgreSQL ${server?.version}; ${oldestServer} or newer is needed`,
    );
  }
  if (server?.encoding !== 'UTF8') {
    throw new StorageError(`the database is encoded in ${server?.encoding}; create one with encoding UTF8`);
  }
  if (server.standby)
    throw new StorageError('the database is a standby, which takes no writes: name the primary');
}
