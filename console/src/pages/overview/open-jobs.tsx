import type { Job } from '@anagrafe/client';
import { Badge, Box, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useOpenJobs } from '../../api/jobs.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Surface } from '../../parts/surface.tsx';
import { useWords } from './words.ts';

/** What is being done right now, and how far it is. */
export function OpenJobs() {
  const { jobs } = useWords();
  const { data, error, refetch } = useOpenJobs();
  return (
    <Surface title={jobs.title}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={60} />}
      {data?.length === 0 && <Empty title={jobs.none} hint={jobs.noneHint} />}
      <Stack gap="lg">
        {data?.map((job) => (
          <OpenJob key={job.ID} job={job} />
        ))}
      </Stack>
    </Surface>
  );
}

function OpenJob({ job }: { job: Job }) {
  const { jobs } = useWords();
  const { number, rate, percent } = useFormats();
  const { Users, UsersDone, Records, RecordsDone, RecordsFailed, UsersPerSecond, EstimatedEnd } = job;
  // A job may be of principals alone.
  const [done, all] = Users > 0 ? [UsersDone, Users] : [RecordsDone, Records];
  const share = all > 0 ? done / all : 0;
  const progress = Users > 0 ? jobs.done(number(done), number(all)) : jobs.records(number(done), number(all));
  return (
    <Box>
      <Group justify="space-between" mb={6}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {jobs.operation[job.Operation]}
          </Text>
          <Text size="sm" c="dimmed">
            {progress}
          </Text>
          {RecordsFailed > 0 && (
            <Badge color="red" variant="light" tt="none">
              {jobs.failed(number(RecordsFailed))}
            </Badge>
          )}
        </Group>
        <Text size="sm" fw={600}>
          {percent(share)}
        </Text>
      </Group>
      <Progress
        value={share * 100}
        size="lg"
        animated={job.State === 'running'}
        aria-label={`${jobs.operation[job.Operation]}: ${progress}`}
      />
      <Text size="xs" c="dimmed" mt={6}>
        {job.State === 'queued' ? jobs.waiting : UsersPerSecond !== null && jobs.rate(rate(UsersPerSecond))}
        {EstimatedEnd && (
          <>
            {' · '}
            {jobs.ends} <Moment at={EstimatedEnd} />
          </>
        )}
      </Text>
    </Box>
  );
}
