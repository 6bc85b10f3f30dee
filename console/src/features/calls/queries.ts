import { useMutation } from '@tanstack/react-query';
import { usePaged } from '../../ui/paging.tsx';
import { usePollInterval } from '../../ui/polling.ts';
import { useAnagrafe, usePatientAnagrafe } from '../session/api-client.ts';

/** Polls one page of the synchronous calls, newest first. `failed` keeps only calls with failed records. */
export function useCalls(failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    ['calls', 'all', failed],
    ({ page, pageSize }, signal) => admin.calls({ pageSize, failed, signal }).page(page),
    { refetchInterval: usePollInterval(5_000) },
  );
}

/** Reads a call with one page of its tuples. `failed` keeps only the tuples of failed records. */
export function useCall(id: string, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(['calls', id, failed], (place, signal) => admin.call(id, { ...place, failed, signal }), {
    pageSize: 50,
  });
}

/** Fetches all failed records of a call. */
export function useFailedCallRecords(id: string) {
  const { admin } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => admin.failedRecords(id) });
}
