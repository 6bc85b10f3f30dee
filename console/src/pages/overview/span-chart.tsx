import type { Span } from '@anagrafe/client';
import { type PointerEvent, useState } from 'react';
import { useFormats } from '../../language/formats.ts';
import { roundSteps } from './scale.ts';
import type { Series } from './series.tsx';
import styles from './span-chart.module.css';
import { SpanFigures } from './span-figures.tsx';

interface SpanChartProps {
  readonly spans: readonly Span[];
  readonly series: readonly Series[];
  readonly label: (at: Date) => string;
}

/** The columns that say when they were; every second of them only where there is room. */
const labelled = (n: number) => n % 5 === 2;
const whereThereIsRoom = (n: number) => n % 10 === 7;

/** Bars upon one another, a column for each span. For the eye alone: those who listen have the same as a table. */
export function SpanChart({ spans, series, label }: SpanChartProps) {
  const { short } = useFormats();
  const [shown, show] = useState<number | null>(null);
  const steps = roundSteps(Math.max(...spans.map((span) => heightOf(span, series))));
  const top = steps.at(-1) ?? 1;
  const high = (figure: number) => (figure / top) * 100;
  const width = 100 / spans.length;
  const middle = (n: number) => (n + 0.5) * width;
  const span = shown === null ? undefined : spans[shown];
  // A finger leaves when it is lifted, and then one reads.
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
            {stacked(one, series).map(({ name, color, from, figure }) => (
              <rect
                key={name}
                data-figure={name}
                fill={color}
                x={`${(n + 0.15) * width}%`}
                width={`${0.7 * width}%`}
                y={`${100 - high(from + figure)}%`}
                height={`${high(figure)}%`}
              />
            ))}
            {labelled(n) && (
              <text
                className={whereThereIsRoom(n) ? styles.between : undefined}
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

/** The figures of a span that are not zero, each with where its bar begins. */
function stacked(span: Span, series: readonly Series[]) {
  let from = 0;
  return series.flatMap(({ name, color }) => {
    const figure = span[name];
    const bar = { name, color, figure, from };
    from += figure;
    return figure === 0 ? [] : [bar];
  });
}

function heightOf(span: Span, series: readonly Series[]): number {
  return series.reduce((sum, { name }) => sum + span[name], 0);
}
