import type { Job } from '@anagrafe/client';
import type { RowFaults } from '@anagrafe/client/import';
import { Anchor, Badge, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type SentRows, useSentProgress } from '../../api/import.ts';
import { useFormats } from '../../language/formats.ts';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Surface } from '../../parts/surface.tsx';
import { arrive } from './arrive.ts';
import { Outcome } from './outcome.tsx';
import { useWords } from './words.ts';

interface RunningProps {
  readonly sent: SentRows;
  /** What is wrong with the rows that were not sent at all. */
  readonly left: RowFaults;
  readonly onMend: (faults: RowFaults) => void;
  readonly onDownload: (faults: RowFaults) => void;
}

/** The service is at work on the rows; then, what became of them. */
export function Running({ sent, left, onMend, onDownload }: RunningProps) {
  const { data, error, refetch } = useSentProgress(sent);
  const refused = data?.failed;
  const failed = new Map([...left, ...(refused ?? [])]);
  return (
    <Stack gap="lg" tabIndex={-1} ref={arrive}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && <Skeleton height={140} />}
      {data && !refused && <Bar rows={sent.rows} jobs={data.jobs} />}
      {refused && (
        <Outcome
          applied={sent.rows - refused.size}
          failed={failed.size}
          onMend={() => onMend(failed)}
          onDownload={() => onDownload(failed)}
        />
      )}
    </Stack>
  );
}

function Bar({ rows, jobs }: { rows: number; jobs: readonly Job[] }) {
  const { progress } = useWords();
  const { number, rate, percent } = useFormats();
  const sum = (count: (job: Job) => number) => jobs.reduce((total, job) => total + count(job), 0);
  const done = sum(({ RecordsDone }) => RecordsDone);
  const failed = sum(({ RecordsFailed }) => RecordsFailed);
  const speed = sum(({ UsersPerSecond, EndedAt }) => (EndedAt === null ? (UsersPerSecond ?? 0) : 0));
  const end = jobs
    .flatMap(({ EstimatedEnd }) => EstimatedEnd ?? [])
    .sort()
    .at(-1);
  const said = progress.done(number(done), number(rows));
  return (
    <Surface title={progress.title}>
      <Group justify="space-between" mb={6}>
        <Group gap="xs">
          <Text size="sm">{said}</Text>
          {failed > 0 && <Badge color="red">{progress.failed(number(failed))}</Badge>}
        </Group>
        <Text size="sm" fw={600}>
          {percent(done / rows)}
        </Text>
      </Group>
      <Progress value={(done / rows) * 100} size="lg" animated aria-label={`${progress.title}: ${said}`} />
      <Text size="xs" c="dimmed" mt={6}>
        {jobs.every(({ State }) => State === 'queued') && progress.waiting}
        {speed > 0 && progress.rate(rate(speed))}
        {end && (
          <>
            {' · '}
            {progress.ends} <Moment at={end} />
          </>
        )}
      </Text>
      <Text mt="md">
        {progress.safe}{' '}
        <Anchor component={Link} href="/jobs" underline="always">
          {progress.jobs}
        </Anchor>
      </Text>
    </Surface>
  );
}
