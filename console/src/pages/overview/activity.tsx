import type { Span } from '@anagrafe/client';
import { Group, SegmentedControl, SimpleGrid, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../language/formats.ts';
import { Surface } from '../../parts/surface.tsx';
import { type Series, SeriesName } from './series.tsx';
import { SpanChart } from './span-chart.tsx';
import { SpanTable } from './span-table.tsx';
import { useWords } from './words.ts';

/** What was done, hour by hour or day by day. */
export function Activity({ hours, days }: { hours: readonly Span[]; days: readonly Span[] }) {
  const { activity } = useWords();
  const formats = useFormats();
  const [span, setSpan] = useState('hours');
  const spans = span === 'hours' ? hours : days;
  const label = (at: Date) => (span === 'hours' ? formats.hour(at) : formats.day(at));
  const charts: readonly { title: string; series: readonly Series[] }[] = [
    {
      title: activity.accounts,
      series: [
        { name: 'UsersRegistered', label: activity.registered, color: 'var(--mantine-color-indigo-6)' },
        { name: 'PasswordsReset', label: activity.reset, color: 'var(--mantine-color-teal-6)' },
        { name: 'PrincipalsInserted', label: activity.inserted, color: 'var(--mantine-color-yellow-6)' },
      ],
    },
    {
      title: activity.calls,
      series: [
        { name: 'Calls', label: activity.answered, color: 'var(--mantine-color-indigo-6)' },
        { name: 'Jobs', label: activity.jobs, color: 'var(--mantine-color-grape-5)' },
        { name: 'RecordsFailed', label: activity.failed, color: 'var(--mantine-color-red-6)' },
      ],
    },
  ];
  const control = (
    <SegmentedControl
      aria-label={activity.span}
      size="xs"
      value={span}
      onChange={setSpan}
      data={[
        { value: 'hours', label: activity.hours },
        { value: 'days', label: activity.days },
      ]}
    />
  );
  return (
    <Surface title={activity.title} actions={control}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        {charts.map(({ title, series }) => (
          <div key={title}>
            <Title order={3} size="sm" fw={600} c="dimmed" mb="xs">
              {title}
            </Title>
            <SpanTable caption={title} spans={spans} series={series} label={label} />
            {isEmpty(spans, series) ? (
              <Text size="sm" c="dimmed">
                {activity.none}
              </Text>
            ) : (
              <>
                <Group gap="md" mb="sm" aria-hidden="true">
                  {series.map((one) => (
                    <SeriesName key={one.name} {...one} />
                  ))}
                </Group>
                <SpanChart spans={spans} series={series} label={label} />
              </>
            )}
          </div>
        ))}
      </SimpleGrid>
    </Surface>
  );
}

function isEmpty(spans: readonly Span[], series: readonly Series[]): boolean {
  return spans.every((span) => series.every(({ name }) => span[name] === 0));
}
