import { useMutation } from '@tanstack/react-query';
import { type Place, usePaged } from '../../ui/paged-table.tsx';
import { usePollInterval } from '../../ui/polling.ts';
import { useAnagrafe, usePatientAnagrafe } from '../session/api-client.ts';

const key = ['calls'];

/** Polls one page of the synchronous calls, newest first. `failed` keeps only calls with failed records. */
export function useCalls(place: Place, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, 'all', failed],
    place,
    ({ page, pageSize }, signal) => admin.calls({ pageSize, failed, signal }).page(page),
    usePollInterval(5_000),
  );
}

/** Reads a call with one page of its tuples. `failed` keeps only the tuples of failed records. */
export function useCall(id: string, place: Place, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged([...key, id, failed], place, (asked, signal) =>
    admin.call(id, { ...asked, failed, signal }),
  );
}

/** Fetches all failed records of a call. */
export function useFailedCallRecords(id: string) {
  const { admin } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => admin.failedRecords(id) });
}
