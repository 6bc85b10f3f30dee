import type { FieldErrors } from '../../lib/field-errors.ts';
import type { StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import { type Move, type NamedUser, namingPlace } from '../parse/parsed-user.ts';
import type { UserMove } from '../write/change.ts';
import type { CheckStore } from './check.store.ts';
import { findUsers, userOf } from './references.ts';

/** Returns the stored users that the moves of the records name. */
export async function findMovedUsers(
  parsedRecords: readonly ParsedRecord[],
  store: CheckStore,
): Promise<ReadonlyMap<Move, StoredUser>> {
  const named = parsedRecords.flatMap((parsed) => usersWith(parsed, 'move'));
  const users = await findUsers(named, store);
  return new Map(
    named.flatMap((move): [Move, StoredUser][] => {
      const user = userOf(move, users);
      return user ? [[move, user]] : [];
    }),
  );
}

/** `expectedVersion`: the version of the user if the change depends on its values. */
export function moveOf(
  { id, principalId: from, usernameKey }: StoredUser,
  expectedVersion: string | null,
): UserMove {
  return { kind: 'move', id, from, usernameKey, expectedVersion };
}

interface Checked {
  readonly parsed: ParsedRecord;
  readonly principal: StoredPrincipal | null;
  /** The users of the principal that the record names. */
  readonly own: ReadonlyMap<NamedUser, StoredUser>;
  readonly moved: ReadonlyMap<Move, StoredUser>;
}

/** The users that the valid records of a call move or delete: later records must not move or change them. */
export class UsersOfCall {
  readonly #moved = new Set<number>();
  readonly #deleted = new Set<number>();

  /** Adds an error for each user that cannot be moved, or that an earlier record moves. */
  check({ parsed, principal, own, moved }: Checked): void {
    const { errors } = parsed;
    for (const [item, { id }] of own) {
      if (this.#moved.has(id)) errors.add(namingPlace(item), 'DUPLICATE_USER', { variant: 'call' });
    }
    const seen = new Set([...own.values()].map(({ id }) => id));
    for (const move of usersWith(parsed, 'move')) {
      const user = moved.get(move);
      if (user) this.#checkMove(move, user, seen, errors);
      else if (principal && (move.id !== null || move.username))
        errors.add(namingPlace(move), 'USER_NOT_FOUND', {
          variant: move.id === null ? 'movedUsername' : 'movedId',
        });
    }
  }

  #checkMove(move: Move, { id }: StoredUser, seen: Set<number>, errors: FieldErrors): void {
    const place = namingPlace(move);
    if (seen.has(id)) errors.add(place, 'DUPLICATE_USER', { variant: 'record' });
    else if (this.#moved.has(id) || this.#deleted.has(id))
      errors.add(place, 'DUPLICATE_USER', { variant: 'call' });
    seen.add(id);
  }

  add({ parsed, own, moved }: Checked): void {
    if (!parsed.errors.none) return;
    for (const move of usersWith(parsed, 'move')) {
      const user = moved.get(move);
      if (user) this.#moved.add(user.id);
    }
    for (const item of usersWith(parsed, 'delete')) {
      const user = own.get(item);
      if (user) this.#deleted.add(user.id);
    }
  }
}
