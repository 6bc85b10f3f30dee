import { useQuery } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { useLive } from './presence.ts';

/** How much there is, and how much was done lately; kept current while someone looks. */
export function useStatistics() {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: ['statistics'],
    queryFn: ({ signal }) => anagrafe.admin.statistics({ signal }),
    refetchInterval: useLive(5_000),
  });
}
