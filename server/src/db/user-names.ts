import type { Connection } from './database.ts';

/** The current names of a user. `email` is null if the user has none. */
export interface UserNames {
  readonly username: string;
  readonly email: string | null;
}

export async function namesOf(
  connection: Connection,
  ids: readonly number[],
): Promise<Map<number, UserNames>> {
  const rows = await connection.query<UserNames & { id: number }>(
    'select id, username, email from anagrafe.users where id = any($1)',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
