import type { Job } from '@anagrafe/client';
import { Badge, Box, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useResultMessages } from '../../i18n/language.tsx';

/**
 * Returns the progress of a job, as a share from 0 to 1 and as text. Counts users, or records if it has no users; of a
 * cancelled job the records that were applied.
 */
export function useProgress({ State, Users, UsersDone, Records, RecordsDone, RecordsFailed }: Job) {
  const { progress } = useResultMessages();
  const { number } = useFormats();
  if (State === 'cancelled') {
    const applied = RecordsDone - RecordsFailed;
    const sentence = progress.cancelled(number(applied), number(Records - applied));
    return { share: Records > 0 ? applied / Records : 0, sentence };
  }
  const [done, all] = Users > 0 ? [UsersDone, Users] : [RecordsDone, Records];
  const describe = Users > 0 ? progress.users : progress.records;
  return { share: all > 0 ? done / all : 0, sentence: describe(number(done), number(all)) };
}

export function JobProgress({ job, name }: { job: Job; name?: ReactNode }) {
  const { operation, progress } = useResultMessages();
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
          // Each poll of the job renders this again, so that the relative time stays current.
          EstimatedEnd && `${progress.ends} ${ago(new Date(EstimatedEnd), new Date())}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </Box>
  );
}
