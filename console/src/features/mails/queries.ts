import type { Mail, ResendMails } from '@anagrafe/client';
import { useQuery } from '@tanstack/react-query';
import { usePaged } from '../../ui/paging.tsx';
import { usePollInterval } from '../../ui/time.tsx';
import { inviteByMail } from '../invitations/queries.ts';
import { principalsKey } from '../results/record-mutation.ts';
import { useAnagrafe, useChange } from '../session/api-client.ts';

const key = ['mails'];

export const mailStates = [
  'pending',
  'sent',
  'failed',
  'stopped',
] as const satisfies readonly Mail['State'][];

export interface MailsFilter {
  readonly state: Mail['State'] | null;
  readonly callId: string | null;
  readonly run: string | null;
}

/** Polls one page of the mails that match the filter, newest first. */
export function useMails({ state, callId, run }: MailsFilter) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, state, callId, run],
    ({ page, pageSize }, signal) =>
      admin.mails
        .list({
          pageSize,
          state: state ?? undefined,
          callId: callId ?? undefined,
          run: run ?? undefined,
          signal,
        })
        .page(page),
    { refetchInterval: usePollInterval(5_000) },
  );
}

/** Returns true if mails of a call or job, or of any, are stopped until they are sent again. */
export function useHasStopped(callId: string | null): boolean {
  const { admin } = useAnagrafe();
  const { data } = useQuery({
    queryKey: [...key, 'stopped', callId],
    queryFn: ({ signal }) =>
      admin.mails.list({ state: 'stopped', callId: callId ?? undefined, pageSize: 1, signal }).page(1),
    refetchInterval: usePollInterval(5_000),
  });
  return (data?.records.length ?? 0) > 0;
}

/** Reads the newest mails of a user. */
export function useMailsOfUser(user: number) {
  const { admin } = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'mails', user],
    queryFn: ({ signal }) => admin.mails.list({ user, pageSize: 10, signal }).page(1),
  });
}

/** The mutation returns the number of mails that it has queued. */
export function useResend() {
  const { admin } = useAnagrafe();
  return useChange(
    (which: ResendMails) => admin.mails.resend(which),
    () => [key, principalsKey],
  );
}

/** The mutation invites the user of one mail again. */
export function useResendOne() {
  const anagrafe = useAnagrafe();
  return useChange(
    ({ IRID, UserID }: { IRID: number; UserID: number }) => inviteByMail(anagrafe, IRID, UserID),
    () => [key, principalsKey],
  );
}
