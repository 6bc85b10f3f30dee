import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { CheckTools, Operation, ReadyRecord } from './operation.ts';
import { ignoredFields, readUsers, required } from './parsed-record.ts';
import {
  findReferences,
  type ReferenceStore,
  type ReferringRecord,
  readPrincipalReference,
} from './references.ts';
import { type Deletion, isNamedByUsername, readDeletion } from './user-item.ts';
import type { ChangeStore, PrincipalChange } from './write/change.ts';

interface ParsedDelete extends ReferringRecord {
  /** The users to delete; null if the principal is deleted with all of its users. */
  readonly items: readonly Deletion[] | null;
  /** The first users of a principal that is deleted, as the checks found them. */
  listed: readonly number[];
}

/** Maximum number of users of a deleted principal that the answer lists. */
const usersListed = 1000;

export interface DeleteStore extends ReferenceStore, ChangeStore {
  /** Returns the IDs of the first `limit` users of each principal. */
  findFirstUsers(principalIds: readonly number[], limit: number): Promise<ReadonlyMap<number, number[]>>;
}

/** Deletes principals with all of their users, or some users of a principal. */
export function deleteOperation(store: DeleteStore): Operation<ParsedDelete> {
  return {
    name: 'delete',
    read: readRecord,
    newCheck: (tools) => ({ run: (parsedRecords) => checkAgainstStore(parsedRecords, store, tools) }),
    order: (parsed) => parsed.principalId,
    size: ({ items, stored }) => items?.length ?? stored?.usersCount ?? 0,
    need: () => ({ principals: 0, users: 0 }),
    reserveIds: async (needs) => needs.map(() => ({ principal: null, users: [] })),
    idOf: (parsed) => parsed.principalId,
    write: (records) => store.writeChanges(records.map(deletion)),
  };
}

async function readRecord(fields: Fields, errors: FieldErrors, timeSlice: TimeSlice): Promise<ParsedDelete> {
  const reference = readPrincipalReference(fields, errors);
  refuseUnknownFields(fields, ['ID', 'ExternalKey', 'Users', ...ignoredFields], '', errors);
  // An empty list must not delete the principal: it may be the result of a filter that found no user.
  if (Array.isArray(fields.Users) && fields.Users.length === 0) errors.add('Users', 'NO_USERS');
  const readItem = (value: unknown, place: string) => readDeletion(value, place, errors);
  const items = isAbsent(fields.Users) ? null : await readUsers(fields.Users, readItem, errors, timeSlice);
  return { ...reference, items, listed: [], users: [], errors };
}

async function checkAgainstStore(
  parsedRecords: readonly ParsedDelete[],
  store: DeleteStore,
  tools: CheckTools | undefined,
): Promise<void> {
  await findReferences(parsedRecords, store, {
    usersOf: ({ items }) => items ?? [],
    comparesValues: true,
    tools,
  });
  // After the version of the principal: a user that is registered meanwhile changes the version.
  const whole = parsedRecords.filter(({ items, errors }) => items === null && errors.none);
  if (whole.length === 0) return;
  const users = await store.findFirstUsers(
    whole.map(({ stored }) => required(stored).id),
    usersListed,
  );
  for (const parsed of whole) parsed.listed = users.get(required(parsed.stored).id) ?? [];
}

function deletion({ parsed, context }: ReadyRecord<ParsedDelete>): PrincipalChange {
  const { id, version, fields, usersCount } = required(parsed.stored);
  const deletes = (parsed.items ?? []).map((item) => required(item.stored).id);
  return {
    principalId: id,
    action: parsed.items ? 'update' : 'delete',
    principal: parsed.items
      ? { kind: 'keep' }
      : { kind: 'delete', externalKey: fields.ExternalKey, usersCount },
    reportsPrincipal: parsed.items === null,
    // A principal that was changed since it was read is checked again: it, or a user that is named by its username, may
    // have another name now.
    expectedVersion: parsed.items && !parsed.items.some(isNamedByUsername) ? null : version,
    registrations: [],
    resets: [],
    edits: [],
    deletes,
    applied: (parsed.items ? deletes : parsed.listed).map((user) => {
      return { id: user, username: '', email: null, operation: 'delete' };
    }),
    context,
  };
}
