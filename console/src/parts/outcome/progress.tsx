import type { Job } from '@anagrafe/client';
import { Badge, Box, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormats } from '../../language/formats.ts';
import { useOutcomeWords } from './words.ts';

/** How far a job is: of its users, or of its records where it has principals alone. */
export function useProgress({ Users, UsersDone, Records, RecordsDone }: Job) {
  const { progress } = useOutcomeWords();
  const { number } = useFormats();
  const [done, all] = Users > 0 ? [UsersDone, Users] : [RecordsDone, Records];
  const words = Users > 0 ? progress.users : progress.records;
  return { share: all > 0 ? done / all : 0, sentence: words(number(done), number(all)) };
}

/** A job with its bar, its speed, and when it will end. */
export function JobProgress({ job, name }: { job: Job; name?: ReactNode }) {
  const { operation, progress } = useOutcomeWords();
  const { number, rate, percent, ago } = useFormats();
  const { share, sentence } = useProgress(job);
  const { State, Operation, RecordsFailed, UsersPerSecond, EstimatedEnd } = job;
  return (
    <Box>
      <Group justify="space-between" mb={6}>
        <Group gap="xs">
          {name}
          <Text size="sm" c="dimmed">
            {sentence}
          </Text>
          {RecordsFailed > 0 && <Badge color="red">{progress.failed(number(RecordsFailed))}</Badge>}
        </Group>
        <Text size="sm" fw={600}>
          {percent(share)}
        </Text>
      </Group>
      <Progress
        value={share * 100}
        size="lg"
        animated={State === 'running'}
        aria-label={`${operation[Operation]}: ${sentence}`}
      />
      <Text size="xs" c="dimmed" mt={6}>
        {[
          State === 'queued' && progress.waiting,
          UsersPerSecond !== null && progress.rate(rate(UsersPerSecond)),
          // Said anew each time that the job was asked for.
          EstimatedEnd && `${progress.ends} ${ago(new Date(EstimatedEnd), new Date())}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </Box>
  );
}
