import '@mantine/charts/styles.css';
import type { Span } from '@anagrafe/client';
import { BarChart } from '@mantine/charts';
import { useFormats } from '../../language/formats.ts';
import type { Series } from './activity.tsx';

interface SpanChartProps {
  readonly spans: readonly Span[];
  readonly series: readonly Series[];
  readonly label: (at: Date) => string;
}

/** For the eye alone: those who listen have the same as a table. */
export function SpanChart({ spans, series, label }: SpanChartProps) {
  const { number } = useFormats();
  const data = spans.map((span) => ({ ...span, Start: label(new Date(span.Start)) }));
  return (
    <div aria-hidden="true">
      <BarChart
        h={220}
        data={data}
        dataKey="Start"
        series={series.map((one) => ({ ...one }))}
        type="stacked"
        gridAxis="x"
        tickLine="none"
        valueFormatter={number}
        xAxisProps={{ interval: 'preserveStartEnd', minTickGap: 24 }}
        yAxisProps={{ width: 46, tickCount: 5, interval: 0, allowDecimals: false }}
        barProps={{ isAnimationActive: false, radius: 1, maxBarSize: 18 }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
