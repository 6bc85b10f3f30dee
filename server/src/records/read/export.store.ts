import type { Connection, Database } from '../../db/database.ts';
import { storeWithApiErrors } from '../../db/errors.ts';
import { type CallerTags, shownTags } from '../../db/visibility.ts';
import type { Tags } from '../../lib/tags.ts';
import { type ExportedPrincipal, type ExportedUser, usersPerPart } from './export-format.ts';
import { principalColumns, principalOfKey, userColumns } from './listing.store.ts';

type PrincipalRow = Omit<ExportedPrincipal, 'users'>;
type MutablePart = PrincipalRow & { readonly users: ExportedUser[] };

const principalsAtOnce = 1000;
const usersAtOnce = 1000;

/** The principals to export; all if everything is null. */
export interface ExportSelection {
  readonly principalId: number | null;
  readonly externalKey: string | null;
  /** Selects the principals that have one of the tags. */
  readonly tags: Tags | null;
  readonly callerTags: CallerTags;
}

export type ExportStore = ReturnType<typeof openExports>;

/** Reads exports through `database`, a pool of its own: an export keeps its connection until the client has read it. */
export function openExports(database: Database) {
  return storeWithApiErrors({
    /**
     * Reads principals and their users in the order of IDs, as they were at one moment, and passes them on in groups of
     * about `usersPerPart` users. It reads on when `onParts` resolves, and ends when it rejects.
     */
    read: (
      selection: ExportSelection,
      { hashes }: { readonly hashes: boolean },
      onParts: (parts: readonly ExportedPrincipal[]) => Promise<void>,
    ): Promise<void> =>
      database.transaction(
        async (connection) => {
          for await (const parts of readParts(connection, selection, hashes)) await onParts(parts);
        },
        { patient: true, snapshot: true },
      ),
  });
}

async function* readParts(
  connection: Connection,
  { principalId, externalKey, tags, callerTags }: ExportSelection,
  hashes: boolean,
): AsyncGenerator<ExportedPrincipal[]> {
  for (let after = 0; ; ) {
    const principals = await connection.query<PrincipalRow>(
      `select ${principalColumns} from anagrafe.principals as shown
        where id > $1 and ($2::bigint is null or id = $2) and ($3::text is null or id = ${principalOfKey('$3')})
          and ($5::text[] is null or tags && $5)
        order by id limit $4`,
      [after, principalId, externalKey, principalsAtOnce, tags],
    );
    const last = principals.at(-1);
    if (!last) return;
    const shown = principals.map((row) => ({ ...row, Tags: shownTags(row.Tags, callerTags) }));
    yield* withUsers(connection, shown, { hashes, areSelected: tags !== null });
    after = last.id;
  }
}

interface UserOptions {
  readonly hashes: boolean;
  /** True if other principals lie between those of a group. */
  readonly areSelected: boolean;
}

/** Reads the users of consecutive principals in the order of principals and users, and divides them into parts. */
async function* withUsers(
  connection: Connection,
  principals: readonly PrincipalRow[],
  options: UserOptions,
): AsyncGenerator<ExportedPrincipal[]> {
  let after = { principalId: principals[0]?.id ?? 0, id: 0 };
  const ids = principals.map(({ id }) => id);
  const waiting = principals[Symbol.iterator]();
  let part = nextPart();
  for (let isEnd = false; !isEnd; ) {
    const users = await usersAfter(connection, after, ids, options);
    const done: MutablePart[] = [];
    for (const user of users) {
      // The users of all parts before this one have been read.
      for (; part && part.id !== user.principalId; part = nextPart()) done.push(part);
      if (part?.users.length === usersPerPart) {
        done.push(part);
        part = { ...part, users: [] };
      }
      part?.users.push(user);
    }
    after = users.at(-1) ?? after;
    isEnd = users.length < usersAtOnce;
    if (isEnd) for (; part; part = nextPart()) done.push(part);
    yield done;
  }

  function nextPart(): MutablePart | undefined {
    const { value, done } = waiting.next();
    return done ? undefined : { ...value, users: [] };
  }
}

function usersAfter(
  connection: Connection,
  after: Pick<ExportedUser, 'principalId' | 'id'>,
  ids: readonly number[],
  { hashes, areSelected }: UserOptions,
): Promise<ExportedUser[]> {
  return connection.query<ExportedUser>(
    `select ${userColumns}, ${hashes ? 'password_hash' : 'null'} as "passwordHash" from anagrafe.users as shown
      where (principal_id, id) > ($1, $2) and principal_id <= $3 and ($5::bigint[] is null or principal_id = any($5))
      order by principal_id, id limit $4`,
    [after.principalId, after.id, ids.at(-1) ?? 0, usersAtOnce, areSelected ? ids : null],
  );
}
