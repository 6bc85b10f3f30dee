import {
  type ColumnMapping,
  formatRowError,
  fromFileError,
  type ImportField,
  importFields,
  isAttributeField,
  isImportField,
  type RowError,
  rowUnit,
  userFieldNames,
} from '@anagrafe/importer';
import { Checkbox, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages } from '../../i18n/language.tsx';
import type { Column } from '../../ui/table.tsx';
import { SideBySide } from '../plans/side-by-side.tsx';
import { useFieldLabel } from '../results/field-errors.tsx';
import type { Checked } from './check-rows.ts';
import { useImportLabel } from './column-mapping.tsx';
import { Cell, isSecret, JsonField } from './row-fields.tsx';
import {
  cellsOf,
  isShownAsJson,
  lineOf,
  type Row,
  recordIn,
  surplusOf,
  type UsersFile,
  withCell,
  withSurplus,
} from './users-file.ts';

interface RowErrorsProps {
  readonly id: string;
  readonly row: Row;
  readonly errors: readonly RowError[];
}

/** Minimum width of the errors, in pixels: a sentence takes about three lines. On a phone they have the whole card. */
const errorsWidth = { base: 150, sm: 300 };
/** Maximum number of errors shown per row; a record may have a thousand users, each with its own errors. */
const errorsShown = 20;

/** Lists the errors of a row with the column, or for a record with the user and the line in its JSON. */
function RowErrors({ id, row, errors }: RowErrorsProps) {
  const messages = useImportMessages();
  const label = useImportLabel();
  const { number } = useFormats();
  const describePath = useFieldLabel();
  if (errors.length === 0) return <Text size="sm">{messages.rows.fine}</Text>;
  const record = recordIn(row);
  const labelOf = (path: string) => {
    if (record) return messages.rows.at(describePath(path), number(lineOf(record, path)));
    return isImportField(path) ? label(path) : path;
  };
  return (
    <Stack id={id} gap={2} miw={errorsWidth} maw={420}>
      {errors.slice(0, errorsShown).map((error) => (
        <Text key={formatRowError(error)} size="sm" c="var(--mantine-color-error)">
          {error.column !== null && `${labelOf(error.column)}: `}
          {error.lookAlike ? messages.similar.title : messages.rowError(error)}
        </Text>
      ))}
      {errors.map(
        ({ lookAlike }) =>
          lookAlike && <SideBySide key={`${lookAlike.other?.ID} ${lookAlike.columns}`} {...lookAlike} />,
      )}
      {errors.length > errorsShown && (
        <Text size="sm">{messages.rows.moreErrors(number(errors.length - errorsShown))}</Text>
      )}
    </Stack>
  );
}

interface RowColumnsOptions {
  readonly file: UsersFile;
  readonly columns: ColumnMapping;
  readonly checked: Checked;
  readonly similarRows: ReadonlySet<number>;
  readonly onSimilar: (row: Row, isAllowed: boolean) => void;
  readonly onRow: (row: Row) => void;
}

const userFields: readonly ImportField[] = ['Username', ...userFieldNames, 'Password', 'ConfirmPassword'];
/** User fields come first, independently of the order in the file, because most errors concern them. */
const fieldsInOrder = [...userFields, ...importFields.filter((field) => !userFields.includes(field))];

/** Columns of the rows table: the line or record, the errors (with the JSON editor if needed) and one editable cell per field. */
export function useRowColumns({
  file,
  columns,
  checked,
  similarRows,
  onSimilar,
  onRow,
}: RowColumnsOptions): readonly Column<Row>[] {
  const messages = useImportMessages();
  const label = useImportLabel();
  const { number } = useFormats();
  const unit = rowUnit(file.layout);
  const checkedRows = new Set(checked.rows);
  const isJson = (row: Row) => isShownAsJson(row, file, columns);

  /** Returns null for a readable row that was edited after the check: its errors are unknown. */
  function errorsOf(row: Row): readonly RowError[] | null {
    if (checkedRows.has(row)) return checked.errors.get(row.number) ?? [];
    return row.error && [fromFileError(row.error)];
  }
  const attributeFields = Object.values(columns).filter((field) => field !== null && isAttributeField(field));
  const wrongFields = new Set([...checked.errors.values()].flat().flatMap(columnsOf));
  // The columns with errors follow the username, so that a wrong cell is beside its error.
  const rank = (field: ImportField) => (field === 'Username' ? 0 : wrongFields.has(field) ? 1 : 2);
  const fields = [...fieldsInOrder, ...attributeFields].toSorted((one, other) => rank(one) - rank(other));
  const cells = fields.flatMap((field): Column<Row>[] => {
    const at = file.names.findIndex((name) => columns[name] === field);
    if (at < 0) return [];
    return [
      {
        name: label(field),
        card: 'full',
        cell: (row) =>
          !isJson(row) && (
            <Cell
              label={messages.rows.cell(label(field), number(row.line), unit)}
              text={cellsOf(row, file)[at] ?? ''}
              secret={isSecret(field)}
              wrong={errorsOf(row)?.some((error) => columnsOf(error).includes(field)) ?? false}
              describedBy={idOf(row)}
              onChange={(text) => onRow(withCell(row, at, text, file))}
            />
          ),
      },
    ];
  });
  const hasSurplus = useMemo(() => file.rows.some((row) => surplusOf(row, file).length > 0), [file]);
  const surplus: Column<Row> = {
    name: messages.rows.surplus,
    card: 'full',
    cell: (row) =>
      surplusOf(row, file).length > 0 && (
        <Cell
          label={messages.rows.cell(messages.rows.surplus, number(row.line), unit)}
          text={surplusOf(row, file).join(file.layout.separator)}
          secret={false}
          wrong
          describedBy={idOf(row)}
          onChange={(text) => onRow(withSurplus(row, text, file))}
        />
      ),
  };
  function errorsCell(row: Row) {
    const errors = errorsOf(row);
    return (
      <Stack gap="xs" align="flex-start">
        {errors ? (
          <RowErrors id={idOf(row)} row={row} errors={errors} />
        ) : (
          <Text size="sm" c="dimmed" miw={errorsWidth}>
            {messages.rows.notChecked}
          </Text>
        )}
        {(similarRows.has(row.number) || errors?.some(({ lookAlike }) => lookAlike)) && (
          <Checkbox
            size="xs"
            label={messages.similar.allowRow}
            checked={similarRows.has(row.number)}
            onChange={({ currentTarget }) => onSimilar(row, currentTarget.checked)}
          />
        )}
        {isJson(row) && (
          <JsonField
            label={
              unit === 'record'
                ? `${messages.rows.record} ${number(row.line)}`
                : messages.rows.cell(messages.rows.record, number(row.line), unit)
            }
            row={row}
            wrong={errors !== null && errors.length > 0}
            describedBy={idOf(row)}
            onChange={onRow}
          />
        )}
      </Stack>
    );
  }
  return [
    { name: messages.rows[unit], numeric: true, cell: ({ line }) => number(line) },
    { name: messages.rows.errors, card: 'full', cell: errorsCell },
    ...(hasSurplus ? [surplus] : []),
    ...cells,
  ];
}

/** Returns the columns of an error, whose cells are marked. */
function columnsOf({ column, lookAlike }: RowError): readonly (string | null)[] {
  return lookAlike?.columns ?? [column];
}

function idOf({ number }: Row): string {
  return `errors-${number}`;
}
