import { useAnagrafe } from './anagrafe.ts';
import { type Place, usePaged } from './paged.ts';
import { useLive } from './presence.ts';

/** The records of all calls and jobs that were not applied, the newest first. */
export function useFailures(place: Place) {
  const { admin } = useAnagrafe();
  return usePaged(
    ['failures'],
    place,
    ({ page, pageSize }, signal) => admin.failures({ pageSize, signal }).page(page),
    useLive(10_000),
  );
}
