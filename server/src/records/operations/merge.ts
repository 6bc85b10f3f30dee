import { ApiError } from '../../lib/field-errors.ts';
import type { CheckStore, OwnUser } from '../check/check.store.ts';
import { editPrincipal, fieldChanges, valueOfPrincipal } from '../check/compare.ts';
import { bytesPerUser } from '../check/memory-estimates.ts';
import type { CheckTools, Operation } from '../check/operation.ts';
import { principalIdsOf, principalOf } from '../check/references.ts';
import type { StoredPrincipal } from '../fields/compared-values.ts';
import { isSameValue, type PrincipalFields, principalFieldNames } from '../fields/fields.ts';
import { parseMerge } from '../parse/parse-records.ts';
import type { ParsedRecord } from '../parse/parsed-record.ts';
import { noChange, type PrincipalChange } from '../write/change.ts';
import type { KeptField } from '../write/outcome.ts';
import type { RemovalLimits } from './upsert-missing.ts';

/**
 * Merges principals into others: their users move, and their external keys become aliases. The principal that remains keeps
 * its values and gets those that it lacks; values that differ are listed as kept.
 */
export function mergeOperation(store: CheckStore, limits: RemovalLimits): Operation {
  return {
    name: 'merge',
    parse: parseMerge,
    startChecks(tools = {}) {
      const call = { store, limits, tools, named: new Set<number>(), users: 0 };
      return (parsedRecords) => checkAgainstStore(parsedRecords, call);
    },
  };
}

interface MergeCheck {
  readonly store: CheckStore;
  readonly limits: RemovalLimits;
  readonly tools: CheckTools;
  /** The principals of earlier records. */
  readonly named: Set<number>;
  /** The number of users that the records move. */
  users: number;
}

interface Merge {
  readonly parsed: ParsedRecord;
  readonly target: StoredPrincipal;
  readonly source: StoredPrincipal;
}

async function checkAgainstStore(
  parsedRecords: readonly ParsedRecord[],
  call: MergeCheck,
): Promise<(PrincipalChange | null)[]> {
  const { store, tools } = call;
  const references = parsedRecords.flatMap((parsed) => [parsed, ...(parsed.source ? [parsed.source] : [])]);
  const ids = await principalIdsOf(references, store);
  const idOf = new Map(references.map((reference, at) => [reference, ids[at] ?? 0]));
  // The versions are read before the users: a user that is registered meanwhile changes the version.
  const principals = await store.findPrincipals([...new Set(ids.filter((id) => id !== null))]);
  const merges = parsedRecords.map((parsed): Merge | null => {
    const { errors, source: from } = parsed;
    if (!from) return null;
    const target = principalOf(parsed, principals.get(idOf.get(parsed) ?? 0));
    const source = principalOf({ ...from, errors }, principals.get(idOf.get(from) ?? 0), 'From');
    if (!target || !source) return null;
    checkMerge({ parsed, target, source }, call);
    return errors.none ? { parsed, target, source } : null;
  });
  const sources = merges.flatMap((merge) => (merge ? [merge.source] : []));
  const users = new Map<number, OwnUser[]>(sources.map(({ id }) => [id, []]));
  tools.holdMemory?.(sources.reduce((sum, { usersCount }) => sum + usersCount, 0) * bytesPerUser);
  const all = { activeOnly: false, limit: call.limits.maxRecordUsers };
  for await (const some of store.usersOfPrincipals(sources, all))
    for (const user of some) users.get(user.principalId)?.push(user);
  return merges.map((merge) => {
    if (!merge) return null;
    const kept = differences(merge, tools.showsChanges ?? false);
    return mergeChange(merge, users.get(merge.source.id) ?? [], kept);
  });
}

function checkMerge({ parsed, target, source }: Merge, call: MergeCheck): void {
  const { errors, namedBy } = parsed;
  const { named, limits } = call;
  if (target.id === source.id) errors.add('From', 'SAME_PRINCIPAL');
  else if (named.has(target.id) || named.has(source.id)) errors.add(namedBy, 'DUPLICATE_PRINCIPAL');
  if (target.state === 'disabled') errors.add(namedBy, 'PRINCIPAL_DISABLED');
  if (source.usersCount > limits.maxRecordUsers)
    errors.add('From', 'RECORD_TOO_LARGE', { variant: 'merge', figures: { users: limits.maxRecordUsers } });
  if (!errors.none) return;
  named.add(target.id).add(source.id);
  call.users += source.usersCount;
  const { maxRemoved: most } = limits;
  if (call.users > most)
    throw new ApiError('BATCH_TOO_LARGE', { variant: 'merges', figures: { users: most } });
}

function mergeChange(
  { target, source }: Merge,
  users: readonly OwnUser[],
  keptFields: readonly KeptField[],
): PrincipalChange {
  const taken = principalFieldNames.filter(
    (name) => target.fields[name] === null && source.fields[name] !== null,
  );
  const fields = Object.fromEntries(taken.map((name) => [name, source.fields[name]])) as PrincipalFields;
  const { ExternalKey: key } = source.fields;
  const alias = taken.includes('ExternalKey') ? null : key;
  const aliases = [...source.aliases, ...(alias === null ? [] : [alias])];
  const step = editPrincipal(
    { ...target, aliases: [...target.aliases, ...aliases] },
    { fields, state: null },
    aliases,
  );
  return {
    ...noChange,
    principalId: target.id,
    principal: step,
    expectedVersion: target.version,
    users: users.map(({ id, usernameKey }) => {
      return { kind: 'move', id, from: source.id, usernameKey, expectedVersion: null };
    }),
    merged: { id: source.id, version: source.version, externalKey: key, alias, users: users.length },
    applied: users.map(({ id, username, email }) => ({ id, username, email, operation: 'move' })),
    changes: fieldChanges(taken, target, { fields, state: null }),
    ...(keptFields.length > 0 && { keptFields }),
  };
}

/** Returns the values of the target that the source has, too, and that are different there. */
function differences({ target, source }: Merge, showsValues: boolean): KeptField[] {
  return [...principalFieldNames.filter((name) => name !== 'ExternalKey'), 'State'].flatMap((field) => {
    const [own, other] = [valueOfPrincipal(target, field), valueOfPrincipal(source, field)];
    return own === null || other === null || isSameValue(own, other)
      ? []
      : [{ field, reason: 'differs', ...(showsValues && { other }) }];
  });
}
