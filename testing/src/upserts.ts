import { noCounts } from '@anagrafe/importer';
import type { Answer, TestService } from './service.ts';

type Headers = Record<string, string>;

/** One user in `Item6` of an upsert. */
export interface UpsertedUser {
  readonly ID: number | null;
  readonly Username: string | null;
  readonly Operation: string;
  readonly Changed?: string[];
  readonly Changes?: { Field: string; From: unknown; To: unknown }[];
}

export interface Upserted {
  readonly Principal?: string;
  readonly Changes?: { Field: string; From: unknown; To: unknown }[];
  readonly Users?: UpsertedUser[];
}

/** Calls `irs/upsert` with `Prefer: return=representation`. `query` has no question mark. */
export function upsert(
  service: TestService,
  records: unknown,
  query = '',
  headers: Headers = {},
): Promise<Answer> {
  const path = query === '' ? 'irs/upsert' : `irs/upsert?${query}`;
  return service.call(path, records, { headers: { prefer: 'return=representation', ...headers } });
}

/** Returns what each record of an upsert changes, or would change in a dry run. */
export const effectsOf = ({ body }: Answer) =>
  (body.result?.records ?? []).map(({ Item6 }) => Item6 as unknown as Upserted);

/** Returns the counts in the answer to an upsert. */
export const countsOf = ({ body }: Answer) => body.result?.record as Record<string, number>;

/** Returns the tag of the plan in the answer to a dry run. */
export function planOf({ body }: Answer): string {
  const { Plan = '' } = (body.result?.record ?? {}) as { Plan?: string };
  return Plan;
}

/** The counts of a call that changed nothing, with `counts` in place of the zeroes. */
export const counts = (some: Record<string, number> = {}) => ({ ...noCounts, ...some });

/** Applies the records as the plan of a dry run. */
export async function applyPlan(service: TestService, records: unknown, query = ''): Promise<Answer> {
  const plan = planOf(await upsert(service, records, ['dryRun=true', query].filter(Boolean).join('&')));
  return upsert(service, records, query, { 'if-match': `"${plan}"` });
}

/** Returns all rows of principals and users, and the audit rows of changes: what an unchanged record must not touch. */
export async function storedRows({ database }: TestService): Promise<Record<string, unknown[]>> {
  const rowsOf = async (table: string, where = 'true') => {
    const rows = await database.query<{ row: string }>(
      `select t::text as row from anagrafe.${table} as t where ${where} order by id`,
    );
    return rows.map(({ row }) => row);
  };
  const audit = await database.query<{ id: number }>(
    `select id from anagrafe.audit_log where action in ('insert', 'update', 'state', 'delete') order by id`,
  );
  return {
    principals: await rowsOf('principals'),
    users: await rowsOf('users'),
    changes: audit.map(({ id }) => id),
  };
}

/** Returns the stored principal with its users, by its external key, without IDs and times. */
export async function storedPrincipal({ database }: TestService, externalKey: string) {
  const [principal] = await database.query<Record<string, unknown> & { id: number }>(
    `select id, denomination, vatnumber, email, state, users_count from anagrafe.principals where external_key = $1`,
    [externalKey],
  );
  if (!principal) return null;
  const { id, ...fields } = principal;
  const users = await database.query(
    `select username, email, phone, state from anagrafe.users where principal_id = $1 order by username_key`,
    [id],
  );
  return { ...fields, users };
}
