import { Anchor, Skeleton, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { useOpenJobs } from '../../api/jobs.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { JobProgress } from '../../parts/outcome/progress.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import { Surface } from '../../parts/surface.tsx';
import { useWords } from './words.ts';

/** What is being done right now, and how far it is. */
export function OpenJobs() {
  const { jobs } = useWords();
  const { operation } = useOutcomeWords();
  const { data, error, refetch } = useOpenJobs();
  return (
    <Surface title={jobs.title}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={60} />}
      {data?.length === 0 && <Empty title={jobs.none} hint={jobs.noneHint} />}
      <Stack gap="lg">
        {data?.map((job) => (
          <JobProgress
            key={job.ID}
            job={job}
            name={
              <Anchor component={Link} href={`/jobs/${job.ID}`} fw={600} size="sm">
                {operation[job.Operation]}
              </Anchor>
            }
          />
        ))}
      </Stack>
    </Surface>
  );
}
