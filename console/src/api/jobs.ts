import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe, usePatientAnagrafe } from './anagrafe.ts';
import { type Place, usePaged } from './paged.ts';
import { useLive } from './presence.ts';

/** Those under way are among them, but for a queue that is longer than anyone reads. */
const newest = 50;
const key = ['jobs'];

/** The jobs that have not ended, the newest first. */
export function useOpenJobs() {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...key, 'open'],
    queryFn: async ({ signal }) => {
      const { records } = await anagrafe.admin.jobs({ pageSize: newest, signal }).page();
      return records.filter(({ EndedAt }) => EndedAt === null);
    },
    refetchInterval: useLive(2_000),
  });
}

/** The jobs of all clients, the newest first. */
export function useJobs(place: Place) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, 'all'],
    place,
    ({ page, pageSize }, signal) => admin.jobs({ pageSize, signal }).page(page),
    useLive(2_000),
  );
}

/** A job with a page of its tuples, asked for again until it has ended. */
export function useJob(id: string, { page, pageSize }: Place, failed: boolean) {
  const { jobs } = useAnagrafe();
  const live = useLive(1_000);
  return useQuery({
    queryKey: [...key, id, page, pageSize, failed],
    queryFn: ({ signal }) => jobs.get(id, { page, pageSize, failed, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.record.EndedAt ? false : live),
  });
}

export function useCancelJob(id: string) {
  const { jobs } = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => jobs.cancel(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
}

/** The failed records of a job. */
export function useJobKit(id: string) {
  const { jobs } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => jobs.failed(id) });
}
