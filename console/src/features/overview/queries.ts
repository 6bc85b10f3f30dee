import { useQuery } from '@tanstack/react-query';
import { type Place, usePaged } from '../../ui/paged-table.tsx';
import { usePollInterval } from '../../ui/polling.ts';
import { useAnagrafe } from '../session/api-client.ts';

/** Reads the totals and the recent activity; polls while the user is active. */
export function useStatistics() {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: ['statistics'],
    queryFn: ({ signal }) => anagrafe.admin.statistics({ signal }),
    refetchInterval: usePollInterval(5_000),
  });
}

/** Reads the failed records of all calls and jobs, newest first. */
export function useFailures(place: Place) {
  const { admin } = useAnagrafe();
  return usePaged(
    ['failures'],
    place,
    ({ page, pageSize }, signal) => admin.failures({ pageSize, signal }).page(page),
    usePollInterval(10_000),
  );
}
