import type { Job } from '@anagrafe/client';
import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { JobProgress } from '../../parts/outcome/progress.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import { Surface } from '../../parts/surface.tsx';
import { useWords } from './words.ts';

/** The service is at work on the rows. */
export function Running({ jobs }: { jobs: readonly Job[] }) {
  const { progress } = useWords();
  const { operation } = useOutcomeWords();
  return (
    <Surface title={progress.title}>
      <Stack gap="lg">
        {jobs.map((job) => (
          <JobProgress
            key={job.ID}
            job={job}
            name={
              <Text size="sm" fw={600}>
                {operation[job.Operation]}
              </Text>
            }
          />
        ))}
        <Text>
          {progress.safe}{' '}
          <Anchor component={Link} href="/jobs" underline="always">
            {progress.jobs}
          </Anchor>
        </Text>
      </Stack>
    </Surface>
  );
}
