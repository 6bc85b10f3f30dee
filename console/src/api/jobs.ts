import { useQuery } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { useLive } from './presence.ts';

/** Every job that is under way is among the newest: more than these do not wait at once. */
const newest = 50;

/** The jobs that have not ended, the newest first. */
export function useOpenJobs() {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: ['jobs', 'open'],
    queryFn: async ({ signal }) => {
      const { records } = await anagrafe.admin.jobs({ pageSize: newest, signal }).page();
      return records.filter(({ EndedAt }) => EndedAt === null);
    },
    refetchInterval: useLive(2_000),
  });
}
