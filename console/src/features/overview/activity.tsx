import type { Span } from '@anagrafe/client';
import { Group, SegmentedControl, SimpleGrid, Text, Title, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useOverviewMessages } from '../../i18n/messages.ts';
import { Surface } from '../../ui/page.tsx';
import { type Series, SeriesName, SpanChart } from './activity-chart.tsx';

interface SpanTableProps {
  readonly caption: string;
  readonly spans: readonly Span[];
  readonly series: readonly Series[];
  readonly label: (at: Date) => string;
}

/** The chart as a table for screen readers. It leaves out hours or days without activity. */
export function SpanTable({ caption, spans, series, label }: SpanTableProps) {
  const { activity } = useOverviewMessages();
  const { number } = useFormats();
  const activeSpans = spans.filter((span) => series.some(({ name }) => span[name] > 0));
  if (activeSpans.length === 0) return null;
  return (
    <VisuallyHidden component="div">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{activity.time}</th>
            {series.map(({ name, label: heading }) => (
              <th key={name} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {activeSpans.map((span) => (
            <tr key={span.Start}>
              <th scope="row">{label(new Date(span.Start))}</th>
              {series.map(({ name }) => (
                <td key={name}>{number(span[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}

/** Charts of the changes and of the calls, per hour or per day. */
export function Activity({ hours, days }: { hours: readonly Span[]; days: readonly Span[] }) {
  const { activity } = useOverviewMessages();
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
