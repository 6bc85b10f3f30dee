import type { NewPassword, Registration, Reset } from '@anagrafe/client';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { type Place, usePaged } from './paged.ts';
import { principalsKey, usePrincipalMutation } from './principals.ts';

/** A user as it is typed; the password is confirmed by itself. */
export interface UserDraft {
  readonly Username: string;
  readonly Email: string;
  readonly Password: string;
}

const pauseMs = 300;

/** Stands for a draft, which has a password in it, where what is named is kept. */
const numbers = new WeakMap<object, number>();
let drafts = 0;

/** The users of a principal whose username begins with a term, or all, in the order of their IDs. */
export function useUsers(ID: number, term: string, place: Place) {
  const anagrafe = useAnagrafe();
  return usePaged([...principalsKey, 'users', ID, term], place, ({ page, pageSize }, signal) =>
    anagrafe.users({ ID, Search: term || null, PageSize: pageSize }, { signal }).page(page),
  );
}

export function useRegister(principalId: number) {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(({ Email, ...user }: UserDraft, idempotencyKey) =>
    anagrafe.register(principalId, [{ ...user, Email: Email || null }], { idempotencyKey }),
  );
}

export function useReset(principalId: number) {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation((user: NewPassword, idempotencyKey) =>
    anagrafe.reset(principalId, [user], { idempotencyKey }),
  );
}

/**
 * What the service would have against this, by place: every check is made, and nothing done. The draft must be the same object until it
 * changes. Nothing of it is kept once nobody looks: it has a password in it.
 */
export function useTrial(ID: number, draft: UserDraft | NewPassword) {
  const anagrafe = useAnagrafe();
  const [settled] = useDebouncedValue(draft, pauseMs);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['trial', ID, numberOf(settled)],
    queryFn: async ({ signal }) => {
      const { tuples } = await anagrafe.update([{ ID, Users: [itemOf(settled)] }], { dryRun: true, signal });
      return tuples[0]?.Item5 ?? {};
    },
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return { faults: data ?? {}, current: data !== undefined && !isPlaceholderData && settled === draft };
}

function numberOf(draft: UserDraft | NewPassword): number {
  const number = numbers.get(draft) ?? ++drafts;
  numbers.set(draft, number);
  return number;
}

function itemOf(draft: UserDraft | NewPassword): Registration | Reset {
  const ConfirmPassword = draft.Password;
  return 'ID' in draft
    ? { ...draft, ConfirmPassword }
    : { ...draft, Email: draft.Email || null, ConfirmPassword };
}
