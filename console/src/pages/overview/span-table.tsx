import type { Span } from '@anagrafe/client';
import { VisuallyHidden } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import type { Series } from './series.tsx';
import { useWords } from './words.ts';

interface SpanTableProps {
  readonly caption: string;
  readonly spans: readonly Span[];
  readonly series: readonly Series[];
  readonly label: (at: Date) => string;
}

/** A chart, for those who listen: the hours or days in which something was done. */
export function SpanTable({ caption, spans, series, label }: SpanTableProps) {
  const { activity } = useWords();
  const { number } = useFormats();
  const busy = spans.filter((span) => series.some(({ name }) => span[name] > 0));
  if (busy.length === 0) return null;
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
          {busy.map((span) => (
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
