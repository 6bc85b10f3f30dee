import type { RowFault } from '@anagrafe/client/import';
import { type ColumnMapping, isSheetField, type SheetField, sheetFields } from '@anagrafe/client/sheet';
import { Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import type { Column } from '../../parts/table.tsx';
import { Cell, isSecret } from './cell.tsx';
import type { Checked } from './check.ts';
import { cellsOf, type Row, usersOf, withCell } from './row.ts';
import type { UsersFile } from './users-file.ts';
import { useWords } from './words.ts';

interface RowColumnsOptions {
  readonly file: UsersFile;
  readonly columns: ColumnMapping;
  readonly checked: Checked;
  readonly onRow: (row: Row) => void;
}

const ofUsers: readonly SheetField[] = ['Username', 'Email', 'Password', 'ConfirmPassword'];
/** Most is wrong with users, so that they stand first, whatever the order in the file is. */
const fieldsInOrder = [...ofUsers, ...sheetFields.filter((field) => !ofUsers.includes(field))];

/** What the table shows of a row: its line, what is wrong with it, and the cells that are read. */
export function useRowColumns({ file, columns, checked, onRow }: RowColumnsOptions): readonly Column<Row>[] {
  const words = useWords();
  const { number } = useFormats();
  const asChecked = new Set(checked.rows);
  const faultsOf = ({ row }: Row): readonly RowFault[] => checked.faults.get(row) ?? [];

  const cells = fieldsInOrder.flatMap((field): Column<Row>[] => {
    const at = file.names.findIndex((name) => columns[name] === field);
    if (at < 0) return [];
    return [
      {
        name: words.fields[field],
        cell: (row) =>
          usersOf(row) === null && (
            <Cell
              label={words.rows.cell(words.fields[field], number(row.line))}
              text={cellsOf(row, file)[at] ?? ''}
              secret={isSecret(field)}
              wrong={asChecked.has(row) && faultsOf(row).some(({ column }) => column === field)}
              describedBy={idOf(row)}
              onChange={(text) => onRow(withCell(row, at, text, file))}
            />
          ),
      },
    ];
  });
  const record: Column<Row> = {
    name: words.rows.record,
    cell: (row) => {
      const users = usersOf(row);
      return users !== null && words.rows.users(number(users));
    },
  };
  return [
    { name: words.rows.line, numeric: true, cell: ({ line }) => number(line) },
    {
      name: words.rows.faults,
      cell: (row) =>
        asChecked.has(row) ? (
          <Faults id={idOf(row)} faults={faultsOf(row)} />
        ) : (
          <Text size="sm" c="dimmed" miw={150}>
            {words.rows.notChecked}
          </Text>
        ),
    },
    ...(checked.rows.some((row) => usersOf(row) !== null) ? [record] : []),
    ...cells,
  ];
}

function Faults({ id, faults }: { id: string; faults: readonly RowFault[] }) {
  const words = useWords();
  if (faults.length === 0) return <Text size="sm">{words.rows.fine}</Text>;
  const label = (column: string) => (isSheetField(column) ? words.fields[column] : column);
  return (
    <Stack id={id} gap={2} miw={150} maw={360}>
      {faults.map(({ column, message }) => (
        <Text key={`${column} ${message}`} size="sm" c="var(--mantine-color-error)">
          {column === null ? message : `${label(column)}: ${message}`}
        </Text>
      ))}
    </Stack>
  );
}

function idOf({ row }: Row): string {
  return `faults-${row}`;
}
