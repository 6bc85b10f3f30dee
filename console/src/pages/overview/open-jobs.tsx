import { Anchor, Skeleton, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { useOpenJobs } from '../../api/jobs.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { JobProgress } from '../../parts/outcome/progress.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import { Surface } from '../../parts/surface.tsx';
import { useWords } from './words.ts';

const shown = 5;

/** What is being done right now, and how far it is. */
export function OpenJobs() {
  const { jobs } = useWords();
  const { operation } = useOutcomeWords();
  const { number } = useFormats();
  const { data, error, refetch } = useOpenJobs(shown);
  const others = data ? data.totalCount - data.records.length : 0;
  return (
    <Surface title={jobs.title}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={60} />}
      {data?.totalCount === 0 && <Empty title={jobs.none} hint={jobs.noneHint} />}
      <Stack gap="lg">
        {data?.records.map((job) => (
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
        {others > 0 && (
          <Anchor component={Link} href="/jobs" size="sm">
            {jobs.more(number(others))}
          </Anchor>
        )}
      </Stack>
    </Surface>
  );
}
