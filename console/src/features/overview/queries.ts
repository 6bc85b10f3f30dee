import { useQuery } from '@tanstack/react-query';
import { usePaged } from '../../ui/paging.tsx';
import { usePollInterval } from '../../ui/polling.ts';
import { useAnagrafe } from '../session/api-client.ts';

/**
 * Reads the totals, the activity of the last 24 hours and 30 days, and the load of the hash pool; polls while the user
 * is active.
 */
export function useStatistics() {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: ['statistics'],
    queryFn: ({ signal }) => anagrafe.admin.statistics({ signal }),
    refetchInterval: usePollInterval(5_000),
  });
}

/** Reads the failed records of all calls and jobs, newest first. */
export function useFailures() {
  const { admin } = useAnagrafe();
  return usePaged(
    ['failures'],
    ({ page, pageSize }, signal) => admin.failures({ pageSize, signal }).page(page),
    { pageSize: 8, refetchInterval: usePollInterval(10_000) },
  );
}
