import type { Statistics } from '@anagrafe/client';
import { Paper, SimpleGrid, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { useWords } from './words.ts';

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly note?: string | false;
}

/** How much there is. */
export function Figures({ statistics }: { statistics: Statistics }) {
  const { figures } = useWords();
  const { number } = useFormats();
  const today = statistics.Days.at(-1);
  const added = (count = 0) => count > 0 && figures.today(`+${number(count)}`);
  const { JobsRunning, JobsQueued } = statistics;
  const all: readonly Figure[] = [
    { name: figures.users, value: statistics.Users, note: added(today?.UsersRegistered) },
    { name: figures.principals, value: statistics.Principals, note: added(today?.PrincipalsInserted) },
    { name: figures.sessions, value: statistics.Sessions },
    {
      name: figures.jobs,
      value: JobsRunning + JobsQueued,
      note: JobsQueued > 0 && figures.queued(number(JobsQueued)),
    },
  ];
  return (
    <SimpleGrid component="section" aria-label={figures.label} cols={{ base: 2, md: 4 }} spacing="lg">
      {all.map(({ name, value, note }) => (
        <Paper key={name} withBorder p="lg">
          <Text size="sm" c="dimmed" fw={500}>
            {name}
          </Text>
          <Text fz={30} fw={650} lh={1.2} mt={4} style={{ fontVariantNumeric: 'tabular-nums' }}>
            {number(value)}
          </Text>
          <Text size="xs" c="dimmed" mih={18}>
            {note}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
