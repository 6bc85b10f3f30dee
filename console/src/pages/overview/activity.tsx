import type { Span } from '@anagrafe/client';
import { ColorSwatch, Group, SegmentedControl, SimpleGrid, Skeleton, Text, Title } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useFormats } from '../../language/formats.ts';
import { Surface } from '../../parts/surface.tsx';
import { SpanTable } from './span-table.tsx';
import { useWords } from './words.ts';

/** The charts weigh more than the rest of the page: it is there before them. */
const SpanChart = lazy(async () => ({ default: (await import('./span-chart.tsx')).SpanChart }));

export type Measure = Exclude<keyof Span, 'Start'>;

/** A figure that is drawn: what it is called, and in which colour. */
export interface Series {
  readonly name: Measure;
  readonly label: string;
  readonly color: string;
}

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
        { name: 'UsersRegistered', label: activity.registered, color: 'indigo.6' },
        { name: 'PasswordsReset', label: activity.reset, color: 'teal.6' },
        { name: 'PrincipalsInserted', label: activity.inserted, color: 'yellow.6' },
      ],
    },
    {
      title: activity.calls,
      series: [
        { name: 'Calls', label: activity.answered, color: 'indigo.6' },
        { name: 'Jobs', label: activity.jobs, color: 'grape.5' },
        { name: 'RecordsFailed', label: activity.failed, color: 'red.6' },
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
                <Legend series={series} />
                <Suspense fallback={<Skeleton height={220} />}>
                  <SpanChart spans={spans} series={series} label={label} />
                </Suspense>
              </>
            )}
          </div>
        ))}
      </SimpleGrid>
    </Surface>
  );
}

/** Which colour is which; the table beside the chart says it to those who listen. */
function Legend({ series }: { series: readonly Series[] }) {
  return (
    <Group gap="md" mb="sm" aria-hidden="true">
      {series.map(({ name, label, color }) => (
        <Group key={name} gap={6}>
          <ColorSwatch
            size={10}
            color={`var(--mantine-color-${color.replace('.', '-')})`}
            withShadow={false}
          />
          <Text size="xs">{label}</Text>
        </Group>
      ))}
    </Group>
  );
}

function isEmpty(spans: readonly Span[], series: readonly Series[]): boolean {
  return spans.every((span) => series.every(({ name }) => span[name] === 0));
}
