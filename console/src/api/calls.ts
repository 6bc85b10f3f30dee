import { useMutation } from '@tanstack/react-query';
import { useAnagrafe, usePatientAnagrafe } from './anagrafe.ts';
import { type Place, usePaged } from './paged.ts';
import { useLive } from './presence.ts';

const key = ['calls'];

/** The calls that were answered at once, the newest first. */
export function useCalls(place: Place, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, 'all', failed],
    place,
    ({ page, pageSize }, signal) => admin.calls({ pageSize, failed, signal }).page(page),
    useLive(5_000),
  );
}

/** A call with a page of its tuples. */
export function useCall(id: string, place: Place, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged([...key, id, failed], place, (asked, signal) =>
    admin.call(id, { ...asked, failed, signal }),
  );
}

/** The failed records of a call. */
export function useCallKit(id: string) {
  const { admin } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => admin.failedRecords(id) });
}
