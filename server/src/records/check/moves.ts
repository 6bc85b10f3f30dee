import type { FieldErrors } from '../../lib/field-errors.ts';
import type { StoredUser } from '../fields/compared-values.ts';
import { namingPlace } from '../parse/parsed-user.ts';
import type { UserMove } from '../write/change.ts';
import type { Found } from './references.ts';

/** `expectedVersion`: the version of the user if the change depends on its values. */
export function moveOf(
  { id, principalId: from, usernameKey }: StoredUser,
  expectedVersion: string | null,
): UserMove {
  return { kind: 'move', id, from, usernameKey, expectedVersion };
}

/** The users that the valid records of a call move or delete: later records must not move or change them. */
export class UsersOfCall {
  readonly #moved = new Set<number>();
  readonly #deleted = new Set<number>();

  /** Adds an error for each user that an earlier record moves, or deletes before this one would move it. */
  refuseEarlier({ users }: Found, errors: FieldErrors): void {
    for (const [item, { id }] of users) {
      const place = namingPlace(item);
      const isDeleted = item.operation === 'move' && this.#deleted.has(id);
      if ((this.#moved.has(id) || isDeleted) && !errors.has(place))
        errors.add(place, 'DUPLICATE_USER', { variant: 'call' });
    }
  }

  add({ users }: Found, errors: FieldErrors): void {
    if (!errors.none) return;
    for (const [{ operation }, { id }] of users) {
      if (operation === 'move') this.#moved.add(id);
      if (operation === 'delete') this.#deleted.add(id);
    }
  }
}
