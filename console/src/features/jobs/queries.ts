import { useMutation, useQuery } from '@tanstack/react-query';
import { usePaged } from '../../ui/paging.tsx';
import { usePollInterval } from '../../ui/time.tsx';
import { useAnagrafe, useChange, usePatientAnagrafe } from '../session/api-client.ts';

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
export function useJobs(failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, 'all', failed],
    ({ page, pageSize }, signal) => admin.jobs({ pageSize, failed, signal }).page(page),
    { refetchInterval: usePollInterval(2_000) },
  );
}

/** Reads a job with one page of its tuples and polls until the job has ended. `failed` keeps only failed records. */
export function useJob(id: string, failed: boolean) {
  const { jobs } = useAnagrafe();
  const live = usePollInterval(1_000);
  return usePaged([...key, id, failed], (place, signal) => jobs.get(id, { ...place, failed, signal }), {
    pageSize: 50,
    refetchInterval: (page) => (page?.record.EndedAt ? false : live),
  });
}

export function useCancelJob(id: string) {
  const { jobs } = useAnagrafe();
  return useChange(() => jobs.cancel(id), key);
}

export function useFailedJobRecords(id: string) {
  const { jobs } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => jobs.failed(id) });
}
