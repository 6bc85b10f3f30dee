import {
  type Anagrafe,
  newIdempotencyKey,
  RecordError,
  type State,
  type Tuple,
  type UserOfPrincipal,
  type WriteResult,
} from '@anagrafe/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation } from '../invitations/queries.ts';
import { isUndecided, principalsKey } from '../results/record-mutation.ts';
import { useAnagrafe } from '../session/api-client.ts';

/** The result of an action on one of many users. */
export interface UserResult {
  readonly user: UserOfPrincipal;
  /** Null if the action was done. */
  readonly error: string | null;
  /** The code that the user was given. */
  readonly invitation?: Invitation | null | undefined;
}

/** Users that one call changes, with its idempotency key: the call is sent again with the same key after an error. */
interface Group {
  readonly users: readonly UserOfPrincipal[];
  readonly idempotencyKey: string;
}

interface ManyOptions {
  readonly users: readonly UserOfPrincipal[];
  /** The number of users that one call changes. */
  readonly usersAtOnce: number;
  /** Sends one record for each user, so that one that fails does not keep the others from being changed. */
  readonly send: (
    anagrafe: Anagrafe,
    users: readonly UserOfPrincipal[],
    options: { readonly idempotencyKey: string },
  ) => Promise<WriteResult & { readonly invitations?: readonly (Invitation | null)[] }>;
}

/**
 * Changes many users in calls of a bounded size, one after the other. The mutation ends at the first call without an
 * answer; run again, it goes on with that call.
 */
export function useMany({ users, usersAtOnce, send }: ManyOptions) {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  const [groups] = useState(() => groupsOf(users, usersAtOnce));
  const [results, setResults] = useState<ReadonlyMap<Group, readonly UserResult[]>>(new Map());
  const mutation = useMutation({
    async mutationFn() {
      for (const group of groups) {
        if (results.has(group)) continue;
        const { users: some, idempotencyKey } = group;
        const { tuples, requestId, invitations } = await send(anagrafe, some, { idempotencyKey });
        const undecided = tuples.find(({ Item2 }) => Item2 !== null && isUndecided(Item2));
        if (undecided) throw new RecordError(undecided, { requestId, idempotencyKey });
        const ended = some.map((user, n) => ({
          user,
          error: errorOf(tuples[n]),
          invitation: invitations?.[n],
        }));
        setResults((before) => new Map(before).set(group, ended));
      }
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: principalsKey }),
  });
  return { ...mutation, results: [...results.values()].flat() };
}

function groupsOf(users: readonly UserOfPrincipal[], size: number): readonly Group[] {
  return Array.from({ length: Math.ceil(users.length / size) }, (_, n) => ({
    users: users.slice(n * size, (n + 1) * size),
    idempotencyKey: newIdempotencyKey(),
  }));
}

function errorOf(tuple: Tuple | undefined): string | null {
  if (!tuple) return '';
  if (tuple.Item3) return null;
  const messages = Object.values(tuple.Item5)
    .flat()
    .map(({ message }) => message);
  return messages.join(' ') || tuple.Item4;
}

export function useSetStates(users: readonly UserOfPrincipal[], state: State) {
  return useMany({
    users,
    usersAtOnce: 100,
    send: (anagrafe, some, options) =>
      anagrafe.setStates(
        some.map(({ IRID, ID }) => ({ ID: IRID, Users: [{ ID, State: state }] })),
        options,
      ),
  });
}

/** Moves users to another principal, once one is chosen. Their sessions end. */
export function useMoveMany(users: readonly UserOfPrincipal[], principalId: number | null) {
  return useMany({
    users,
    usersAtOnce: 100,
    send: (anagrafe, some, options) =>
      anagrafe.update(
        some.map(({ ID }) => ({ ID: principalId ?? 0, Users: [{ Operation: 'move', ID }] })),
        options,
      ),
  });
}

/** Sets new passwords, by user ID. Fewer at once, because each of them is hashed. */
export function useResetMany(users: readonly UserOfPrincipal[], passwords: ReadonlyMap<number, string>) {
  return useMany({
    users,
    usersAtOnce: 25,
    send: (anagrafe, some, options) =>
      anagrafe.update(
        some.map(({ IRID, ID }) => {
          const Password = passwords.get(ID) ?? '';
          return { ID: IRID, Users: [{ ID, Password, ConfirmPassword: Password }] };
        }),
        options,
      ),
  });
}
