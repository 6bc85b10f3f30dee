import type { Anagrafe, AuditChange, UpsertRecord } from '@anagrafe/client';
import { idOfApplied, principalsKey } from '../results/record-mutation.ts';
import { useAnagrafe, useChange } from '../session/api-client.ts';

/** `same`: the field has the old value already. `gone`: its principal or user no longer exists. */
export type Restored = 'restored' | 'same' | 'gone' | { readonly present: unknown };

/** Restores the old value of a field, unless the field has changed again since. */
export function useRestore(principalId: number) {
  const anagrafe = useAnagrafe();
  return useChange((change: AuditChange) => restore(change, principalId, anagrafe), principalsKey);
}

type Fields = Readonly<Record<string, unknown>>;

async function restore(change: AuditChange, principalId: number, anagrafe: Anagrafe): Promise<Restored> {
  const { UserID, Field, Old, New } = change;
  const [user] = UserID === null ? [] : (await anagrafe.users({ UserID }).page()).records;
  const [principal] =
    UserID === null ? (await anagrafe.list({ ID: principalId, UsersShown: 0 }).page()).records : [];
  const stored = (user ?? principal) as Fields | undefined;
  if (!stored) return 'gone';
  const present = stored[Field] ?? null;
  if (isSame(present, Old)) return 'same';
  if (!isSame(present, New)) return { present };
  const value = Old ?? (Field === 'Attributes' ? {} : '');
  const ID = user?.IRID ?? principalId;
  // A record that names its principal or user by the present name fails if that has changed meanwhile.
  if (user && Field === 'Username') {
    const renamed = { Operation: 'edit', Username: user.Username, NewUsername: String(value) } as const;
    idOfApplied(await anagrafe.update([{ ID, Users: [renamed] }]));
    return 'restored';
  }
  if (Field === 'ExternalKey') {
    const named = principal?.ExternalKey == null ? { ID } : { ExternalKey: principal.ExternalKey };
    idOfApplied(await anagrafe.update([{ ...named, NewExternalKey: String(value) }]));
    return 'restored';
  }
  const record = (
    user ? { ID, Users: [{ Username: user.Username, [Field]: value }] } : { ID, [Field]: value }
  ) as UpsertRecord;
  const planned = await anagrafe.upsert([record], { dryRun: true, representation: true });
  idOfApplied(planned);
  const { Changes = [], Users = [] } = planned.tuples[0]?.Item6 ?? {};
  const found = (user ? Users[0]?.Changes : Changes)?.find((one) => one.Field === Field);
  if (!found) return 'same';
  if (!isSame(found.From, New)) return { present: found.From };
  idOfApplied(await anagrafe.upsert([record], { ifMatch: planned.plan }));
  return 'restored';
}

/** Compares values of a field. A missing text equals an empty one, and the order of attributes does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.length === 0 ? '' : JSON.stringify(entries);
}
