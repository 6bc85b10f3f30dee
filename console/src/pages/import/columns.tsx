import { type ColumnMapping, isSheetField, type SheetField, sheetFields } from '@anagrafe/client/sheet';
import { Box, NativeSelect, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormats } from '../../language/formats.ts';
import { Surface } from '../../parts/surface.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { isSecret } from './cell.tsx';
import { cellsOf } from './row.ts';
import type { UsersFile } from './users-file.ts';
import { useWords } from './words.ts';

interface ColumnsProps {
  readonly file: UsersFile;
  readonly columns: ColumnMapping;
  readonly onChange: (columns: ColumnMapping) => void;
  readonly children: ReactNode;
}

const samplesShown = 3;

/** What each column of the file is: recognised by its name, or told here. */
export function Columns({ file, columns, onChange, children }: ColumnsProps) {
  const words = useWords();
  const { number } = useFormats();
  const samples = file.rows.slice(0, samplesShown).map((row) => cellsOf(row, file));
  const options = [
    { value: '', label: words.columns.notRead },
    ...sheetFields.map((field) => ({ value: field, label: words.fields[field] })),
  ];
  const labelOf = (name: string, at: number) =>
    name.trim() === '' ? words.columns.unnamed(number(at + 1)) : name;
  const choose = (name: string, value: string) =>
    onChange({ ...columns, [name]: isSheetField(value) ? value : null });
  const shown: readonly Column<{ name: string; at: number }>[] = [
    {
      name: words.columns.name,
      cell: ({ name, at }) => (
        <Text size="sm" fw={600} {...(fieldOf(name) === null && { c: 'dimmed' })}>
          {labelOf(name, at)}
        </Text>
      ),
    },
    {
      name: words.columns.field,
      cell: ({ name, at }) => (
        <NativeSelect
          aria-label={words.columns.fieldOf(labelOf(name, at))}
          data={options}
          value={fieldOf(name) ?? ''}
          onChange={(event) => choose(name, event.currentTarget.value)}
          miw={190}
        />
      ),
    },
    {
      name: words.columns.samples,
      wide: true,
      cell: ({ name, at }) => (
        <Text size="sm" c="dimmed" truncate maw={420}>
          {isSecret(fieldOf(name))
            ? words.columns.hidden
            : samples.flatMap((cells) => cells[at] || []).join(' · ')}
        </Text>
      ),
    },
  ];

  return (
    <Surface title={words.columns.title} flush>
      <Table
        caption={words.columns.caption}
        columns={shown}
        rows={file.names.map((name, at) => ({ name, at }))}
        keyOf={({ at }) => at}
        error={null}
        onRetry={() => {}}
        empty={
          <Text px="lg" c="dimmed" size="sm">
            {words.columns.records}
          </Text>
        }
      />
      <Box p="lg">{children}</Box>
    </Surface>
  );

  function fieldOf(name: string): SheetField | null {
    return columns[name] ?? null;
  }
}
