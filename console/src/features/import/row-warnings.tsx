import type { RowUnit, UnusedColumn, WarningSummary } from '@anagrafe/importer';
import { Alert, List, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages } from '../../i18n/language.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useImportLabel } from './column-mapping.tsx';

interface RowWarningsProps {
  readonly warnings: readonly WarningSummary[];
  readonly unused: readonly UnusedColumn[];
  readonly unit: RowUnit;
}

/** Lists what may be a mistake in rows that can be imported nevertheless, and the columns that are not imported. */
export function RowWarnings({ warnings, unused, unit }: RowWarningsProps) {
  const { warnings: messages } = useImportMessages();
  const label = useImportLabel();
  const { number } = useFormats();
  const filled = unused.filter(({ content }) => content !== 'empty');
  const shownOf = (lines: readonly number[], rows: number) => [
    ...lines.map(number),
    ...(rows > lines.length ? ['…'] : []),
  ];
  if (warnings.length + filled.length === 0) return null;
  return (
    <Alert role="note" color="yellow" variant="light" mx="lg" mb="md" icon={<Icon name="warning" />}>
      <Text size="sm" fw={600}>
        {messages.title}
      </Text>
      <Text size="sm">{messages.hint}</Text>
      <List size="sm" mt={4} spacing={2}>
        {warnings.map(({ code, field, rows, lines }) => (
          <List.Item key={`${code} ${field}`}>
            {messages.ofField(label(field), messages.codes[code], number(rows), shownOf(lines, rows), unit)}
          </List.Item>
        ))}
        {filled.map(({ name, content, values }) => (
          <List.Item key={name}>
            {messages.unused(name, messages.contents[content], number(values))}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
