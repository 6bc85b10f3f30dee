import { useQuery } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { useLive } from './presence.ts';

/** The records that were not applied last. */
export function useLastFailures(count: number) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: ['failures', 'last', count],
    queryFn: ({ signal }) => anagrafe.admin.failures({ pageSize: count, signal }).page(),
    refetchInterval: useLive(10_000),
  });
}
