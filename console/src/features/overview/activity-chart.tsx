import type { Span } from '@anagrafe/client';
import { Group, Paper, Text } from '@mantine/core';
import { type PointerEvent, useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import styles from './activity-chart.module.css';
import { highestOf, roundSteps, type Series } from './chart-data.ts';

export function SeriesName({ label, color }: Series) {
  return (
    <span className={styles.name}>
      <span className={styles.swatch} style={{ background: color }} />
      {label}
    </span>
  );
}

interface SpanFiguresProps {
  readonly title: string;
  readonly span: Span;
  readonly series: readonly Series[];
  /** The horizontal centre of the column, in per cent of the width of the chart. */
  readonly at: number;
}

function SpanFigures({ title, span, series, at }: SpanFiguresProps) {
  const { number } = useFormats();
  return (
    <Paper
      withBorder
      shadow="md"
      className={styles.figures}
      data-late={at > 50 || undefined}
      style={{ '--at': at / 100 }}
    >
      <Text size="xs" fw={600} mb={4}>
        {title}
      </Text>
      {series.map((one) => (
        <Group key={one.name} gap="lg" justify="space-between" wrap="nowrap">
          <SeriesName {...one} />
          <Text size="xs">{number(span[one.name])}</Text>
        </Group>
      ))}
    </Paper>
  );
}

export interface SpanChartProps {
  readonly spans: readonly Span[];
  readonly series: readonly Series[];
  readonly label: (at: Date) => string;
}

/** Every fifth column has a time label; a narrow chart hides every second label. */
const hasLabel = (n: number) => n % 5 === 2;
const isHiddenWhenNarrow = (n: number) => n % 10 === 7;

/** The share of a column that its bars take. */
const barsShare = 0.7;

/**
 * A bar chart with one column per time span, in which the figures are side by side: they count different things, and have
 * no sum. Screen readers skip it and read `SpanTable` instead.
 */
export function SpanChart({ spans, series, label }: SpanChartProps) {
  const { short } = useFormats();
  const [shown, show] = useState<number | null>(null);
  const steps = roundSteps(Math.max(...spans.map((span) => highestOf(span, series))));
  const top = steps.at(-1) ?? 1;
  const high = (figure: number) => (figure / top) * 100;
  const width = 100 / spans.length;
  const barWidth = (barsShare * width) / series.length;
  const middle = (n: number) => (n + 0.5) * width;
  const span = shown === null ? undefined : spans[shown];
  // A touch pointer leaves when the finger is lifted; the tooltip stays so that it can be read.
  const leave = ({ pointerType }: PointerEvent) => pointerType === 'mouse' && show(null);
  return (
    <div className={styles.chart} aria-hidden="true" onPointerLeave={leave}>
      <svg className={styles.drawing} aria-hidden="true">
        {steps.map((step) => (
          <g key={step}>
            <line className={styles.line} x2="100%" y1={`${100 - high(step)}%`} y2={`${100 - high(step)}%`} />
            <text x="-8" y={`${100 - high(step)}%`} textAnchor="end" dominantBaseline="middle">
              {short(step)}
            </text>
          </g>
        ))}
        {spans.map((one, n) => (
          <g key={one.Start} className={styles.span} onPointerEnter={() => show(n)}>
            <rect className={styles.column} x={`${n * width}%`} width={`${width}%`} height="100%" />
            {series.map(
              ({ name, color }, at) =>
                one[name] > 0 && (
                  <rect
                    key={name}
                    data-figure={name}
                    fill={color}
                    x={`${(n + (1 - barsShare) / 2) * width + at * barWidth}%`}
                    width={`${barWidth}%`}
                    y={`${100 - high(one[name])}%`}
                    height={`${high(one[name])}%`}
                  />
                ),
            )}
            {hasLabel(n) && (
              <text
                className={isHiddenWhenNarrow(n) ? styles.between : undefined}
                x={`${middle(n)}%`}
                y="100%"
                dy="18"
                textAnchor="middle"
              >
                {label(new Date(one.Start))}
              </text>
            )}
          </g>
        ))}
      </svg>
      {span && shown !== null && (
        <SpanFigures span={span} series={series} title={label(new Date(span.Start))} at={middle(shown)} />
      )}
    </div>
  );
}
