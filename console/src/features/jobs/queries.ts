import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Place, usePaged } from '../../ui/paged-table.tsx';
import { usePollInterval } from '../../ui/polling.ts';
import { useAnagrafe, usePatientAnagrafe } from '../session/api-client.ts';

const key = ['jobs'];

/** Polls the first page of the jobs that have not ended: running jobs first, then the others in queue order. */
export function useOpenJobs(pageSize: number) {
  const { admin } = useAnagrafe();
  return useQuery({
    queryKey: [...key, 'open', pageSize],
    queryFn: ({ signal }) => admin.jobs({ open: true, pageSize, signal }).page(),
    refetchInterval: usePollInterval(2_000),
  });
}

/** Polls one page of the jobs of all clients, newest first. `failed` keeps only jobs with failed records. */
export function useJobs(place: Place, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, 'all', failed],
    place,
    ({ page, pageSize }, signal) => admin.jobs({ pageSize, failed, signal }).page(page),
    usePollInterval(2_000),
  );
}

/** Reads a job with one page of its tuples and polls until the job has ended. `failed` keeps only failed records. */
export function useJob(id: string, { page, pageSize }: Place, failed: boolean) {
  const { jobs } = useAnagrafe();
  const live = usePollInterval(1_000);
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

/** Fetches all failed records of a job. */
export function useFailedJobRecords(id: string) {
  const { jobs } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => jobs.failed(id) });
}
