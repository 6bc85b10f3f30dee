import type { Hashing as HashingFigures } from '@anagrafe/client';
import { Group, Progress, Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { Surface } from '../../parts/surface.tsx';
import { useWords } from './words.ts';

/** How busy the node is with what it is slowest at, and who waits for it. */
export function Hashing({ hashing }: { hashing: HashingFigures }) {
  const { hashing: words } = useWords();
  const { rate, number, percent } = useFormats();
  const { HashesPerSecond, Capacity } = hashing;
  const share = Capacity > 0 ? Math.min(1, HashesPerSecond / Capacity) : 0;
  const lanes: readonly [string, number][] = [
    [words.running, hashing.Running],
    [words.interactive, hashing.WaitingInteractive],
    [words.bulk, hashing.WaitingBulk],
  ];
  return (
    <Surface title={words.title}>
      <Group justify="space-between" mb={6}>
        <Text size="sm">{words.rate(rate(HashesPerSecond), rate(Capacity))}</Text>
        <Text size="sm" fw={600}>
          {percent(share)}
        </Text>
      </Group>
      <Progress
        value={share * 100}
        size="lg"
        aria-label={words.bar}
        color={share > 0.9 ? 'orange.7' : 'indigo'}
      />
      <Stack gap={8} mt="lg" component="dl" mb="md">
        {lanes.map(([name, value]) => (
          <Group key={name} justify="space-between" wrap="nowrap">
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="sm" fw={600}>
              {number(value)}
            </Text>
          </Group>
        ))}
      </Stack>
      <Text size="xs" c="dimmed">
        {words.node}
      </Text>
    </Surface>
  );
}
