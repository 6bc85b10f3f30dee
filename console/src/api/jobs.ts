import { useQuery } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { useLive } from './presence.ts';

/** Those under way are among them, but for a queue that is longer than anyone reads. */
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
