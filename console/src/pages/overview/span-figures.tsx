import type { Span } from '@anagrafe/client';
import { Group, Paper, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { type Series, SeriesName } from './series.tsx';
import styles from './span-chart.module.css';

interface SpanFiguresProps {
  readonly title: string;
  readonly span: Span;
  readonly series: readonly Series[];
  /** How far along the drawing its column is, in hundredths. */
  readonly at: number;
}

/** What a column of the chart stands for, over it. */
export function SpanFigures({ title, span, series, at }: SpanFiguresProps) {
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
