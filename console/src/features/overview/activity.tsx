import type { Statistics } from '@anagrafe/client';
import { Group, Text, Title, VisuallyHidden } from '@mantine/core';
import { memo, useId, useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useOverviewMessages } from '../../i18n/language.tsx';
import { Surface } from '../../ui/page.tsx';
import { SeriesName, SpanChart, type SpanChartProps } from './activity-chart.tsx';
import { highestOf, type Series } from './chart-data.ts';
import classes from './overview.module.css';

/** The chart as a table for screen readers. It leaves out hours or days without activity. */
function SpanTable({ caption, spans, series, label }: SpanChartProps & { caption: string }) {
  const { activity } = useOverviewMessages();
  const { number } = useFormats();
  const activeSpans = spans.filter((span) => highestOf(span, series) > 0);
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

export const Activity = memo(function Activity({ Hours, Days }: Pick<Statistics, 'Hours' | 'Days'>) {
  const { activity } = useOverviewMessages();
  const formats = useFormats();
  const [span, setSpan] = useState<'hours' | 'days'>('hours');
  const name = useId();
  const spans = span === 'hours' ? Hours : Days;
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
      ],
    },
    // A chart of its own: one call may have a thousand failed records.
    {
      title: activity.failed,
      series: [{ name: 'RecordsFailed', label: activity.failed, color: 'var(--mantine-color-red-6)' }],
    },
  ];
  const control = (
    <div role="radiogroup" aria-label={activity.span} className={classes.spans}>
      {(['hours', 'days'] as const).map((one) => (
        <label key={one}>
          <input type="radio" name={name} checked={span === one} onChange={() => setSpan(one)} />
          <span>{activity[one]}</span>
        </label>
      ))}
    </div>
  );
  return (
    <Surface title={activity.title} actions={control}>
      <div className={classes.charts}>
        {charts.map(({ title, series }) => (
          <div key={title} className={classes.chart}>
            <Title order={3} size="sm" fw={600} c="dimmed" mb="xs">
              {title}
            </Title>
            <SpanTable caption={title} spans={spans} series={series} label={label} />
            {spans.every((one) => highestOf(one, series) === 0) ? (
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
      </div>
    </Surface>
  );
});
