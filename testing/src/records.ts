import type { Principal } from '@anagrafe/client';
import { RecordList } from '../../server/src/json/record-list.ts';
import type { UserRules } from '../../server/src/records/parse/new-password.ts';
import type { Tuple } from '../../server/src/records/read/tuple.ts';
import { importedUser } from './jobs.ts';
import type { Answer, TestService } from './service.ts';

/** Parses records as the service parses them from a request body. */
export async function recordList(records: unknown): Promise<RecordList> {
  const list = await RecordList.read(Buffer.from(JSON.stringify(records)), { maxDepth: 16 });
  if (!list) throw new Error('a list of records is an array');
  return list;
}

/** Returns the numbers from 0 to `count - 1`. */
export const range = (count: number) => Array.from({ length: count }, (_, n) => n);

/** The rules of a service with default settings that sends no mail. */
export const plainRules: UserRules = {
  requireEmail: false,
  password: { minLength: 8, isCommon: () => false },
  isLeaked: async () => false,
  sendsMail: false,
  codes: 'later',
};

let serial = 0;

/** Returns an external key or a username that no other test uses. */
export const unique = (name: string) => `${name}.${++serial}`;

/** Returns registrations with unique usernames, whose passwords the service need not hash. */
export const importedUsers = (count: number) => range(count).map(() => importedUser(unique('user')));

/** Options of a call whose answer contains the users of each record in `Item6`. */
export const representation = { headers: { prefer: 'return=representation' } } as const;

/** Inserts a principal, with a unique external key unless `fields` has one. */
export async function insertPrincipal<
  Fields extends {
    readonly Users?: readonly { readonly Username: string }[];
    readonly [name: string]: unknown;
  },
>(service: TestService, fields: Fields) {
  const record = { ExternalKey: unique('C'), ...fields };
  const { body, text } = await service.call('irs/insert', [record], representation);
  const [tuple] = body.result?.records ?? [];
  if (!tuple?.Item3) throw new Error(`the principal was not inserted: ${text}`);
  return {
    id: tuple.Item1 ?? 0,
    key: record.ExternalKey,
    /** The record that was sent. */
    record,
    usernames: (fields.Users ?? []).map(({ Username }) => Username),
    /** User IDs in the order of `usernames`. */
    userIds: (tuple.Item6.Users ?? []).map(({ ID }) => ID),
  };
}

/** Reads a principal with its users from `irs/list`; undefined if it does not exist. */
export async function listedPrincipal(service: TestService, ID: number): Promise<Principal | undefined> {
  const { body } = await service.call<Principal>('irs/list', { ID });
  return body.result?.records[0];
}

/** Returns the error code of each record of an answer; null for an applied record. */
export const codesOf = ({ body }: Answer) => (body.result?.records ?? []).map(({ Item2 }) => Item2);

/** Returns the codes of the field errors of a record, by path. */
export function fieldCodes(tuple: Pick<Tuple, 'Item5'> | undefined): Record<string, string[]> {
  const entries = Object.entries(tuple?.Item5 ?? {});
  return Object.fromEntries(entries.map(([path, errors]) => [path, errors.map(({ code }) => code)]));
}

/** Returns the codes of the field errors of the first record of an answer, by path. */
export const fieldCodesOf = ({ body }: Answer) => fieldCodes(body.result?.records[0]);
