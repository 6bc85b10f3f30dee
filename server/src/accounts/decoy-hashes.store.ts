import type { Database } from '../db/database.ts';
import type { HashProfile } from './decoy-hashes.ts';

/** The number of users up to which all hashes are counted; above it, a part of the table is. */
const sampleSize = 50_000;
/** The number of profiles that are counted, the most frequent ones. An installation has a few, unless a client imports unusual hashes. */
const maxProfiles = 64;

/** The part of a hash that has its format and cost. In base64, Identity v3 begins with its parameters, v2 with its salt. */
const head = String.raw`^(\$argon2id?\$[^$]*\$[^$]*|\$2[aby]\$\d\d|\$pbkdf2[^$]*\$[^$]*|pbkdf2_[^$]*\$\d+|AQ.{14}|A)`;

export async function countHashProfiles(database: Database): Promise<HashProfile[]> {
  const [users] = await database.query<{ count: number }>(
    "select coalesce(sum(amount), 0)::bigint as count from anagrafe.row_counts where kind = 'users'",
  );
  const halvings = Math.max(Math.ceil(Math.log2((users?.count ?? 0) / sampleSize)), 0);
  // `repeatable` takes the same pages each time: the shares change only if the stored hashes change.
  return database.query<HashProfile>(
    `select example, count from (
       select substring(password_hash from '${head}') as head, length(password_hash) as length,
              min(password_hash) as example, count(*) as count
         from anagrafe.users tablesample system (${100 / 2 ** halvings}) repeatable (0) where password_hash is not null
        group by 1, 2 order by count(*) desc, 1, 2 limit ${maxProfiles}) as profiles
      order by head collate "C", length`,
  );
}
