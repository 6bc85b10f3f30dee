import { aboutRow, type RowFault } from '@anagrafe/client/import';
import { type ColumnMapping, type SheetField, sheetFields } from '@anagrafe/client/sheet';
import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useFormats } from '../../language/formats.ts';
import type { Column } from '../../parts/table.tsx';
import { Cell, isSecret } from './cell.tsx';
import type { Checked } from './check.ts';
import { isShownAsJson } from './json.ts';
import { JsonField } from './json-field.tsx';
import { cellsOf, type Row, surplusOf, withCell, withSurplus } from './row.ts';
import { RowFaults } from './row-faults.tsx';
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

/** What the table shows of a row: its line, what is wrong with it, and, to be mended, the cells that are read or its JSON. */
export function useRowColumns({ file, columns, checked, onRow }: RowColumnsOptions): readonly Column<Row>[] {
  const words = useWords();
  const { number } = useFormats();
  const asChecked = new Set(checked.rows);
  const isJson = (row: Row) => isShownAsJson(row, file, columns);

  /** Null where that is not known any more: it was changed. */
  function faultsOf(row: Row): readonly RowFault[] | null {
    if (asChecked.has(row)) return checked.faults.get(row.row) ?? [];
    return row.fault && [aboutRow(words.fault(row.fault))];
  }
  const cells = fieldsInOrder.flatMap((field): Column<Row>[] => {
    const at = file.names.findIndex((name) => columns[name] === field);
    if (at < 0) return [];
    return [
      {
        name: words.fields[field],
        cell: (row) =>
          !isJson(row) && (
            <Cell
              label={words.rows.cell(words.fields[field], number(row.line))}
              text={cellsOf(row, file)[at] ?? ''}
              secret={isSecret(field)}
              wrong={faultsOf(row)?.some(({ column }) => column === field) ?? false}
              describedBy={idOf(row)}
              onChange={(text) => onRow(withCell(row, at, text, file))}
            />
          ),
      },
    ];
  });
  const hasSurplus = useMemo(() => file.rows.some((row) => surplusOf(row, file).length > 0), [file]);
  const surplus: Column<Row> = {
    name: words.rows.surplus,
    cell: (row) =>
      surplusOf(row, file).length > 0 && (
        <Cell
          label={words.rows.cell(words.rows.surplus, number(row.line))}
          text={surplusOf(row, file).join(file.layout.separator)}
          secret={false}
          wrong
          describedBy={idOf(row)}
          onChange={(text) => onRow(withSurplus(row, text, file))}
        />
      ),
  };
  function wrong(row: Row) {
    const faults = faultsOf(row);
    return (
      <Stack gap="xs" align="flex-start">
        {faults ? (
          <RowFaults id={idOf(row)} row={row} faults={faults} />
        ) : (
          <Text size="sm" c="dimmed" miw={150}>
            {words.rows.notChecked}
          </Text>
        )}
        {isJson(row) && (
          <JsonField
            label={words.rows.cell(words.rows.record, number(row.line))}
            row={row}
            wrong={faults !== null && faults.length > 0}
            describedBy={idOf(row)}
            onChange={onRow}
          />
        )}
      </Stack>
    );
  }
  return [
    { name: words.rows.line, numeric: true, cell: ({ line }) => number(line) },
    { name: words.rows.faults, cell: wrong },
    ...(hasSurplus ? [surplus] : []),
    ...cells,
  ];
}

function idOf({ row }: Row): string {
  return `faults-${row}`;
}
