import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe, usePatientAnagrafe } from './anagrafe.ts';
import { type Place, usePaged } from './paged.ts';
import { useLive } from './presence.ts';

const key = ['jobs'];

/** The first of the jobs that have not ended: the running ones, then those whose turn comes next. */
export function useOpenJobs(pageSize: number) {
  const { admin } = useAnagrafe();
  return useQuery({
    queryKey: [...key, 'open', pageSize],
    queryFn: ({ signal }) => admin.jobs({ open: true, pageSize, signal }).page(),
    refetchInterval: useLive(2_000),
  });
}

/** The jobs of all clients, the newest first. */
export function useJobs(place: Place, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, 'all', failed],
    place,
    ({ page, pageSize }, signal) => admin.jobs({ pageSize, failed, signal }).page(page),
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
