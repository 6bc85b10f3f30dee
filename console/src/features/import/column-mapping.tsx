import {
  attributeOf,
  type ColumnMapping,
  type ImportField,
  importFields,
  isAttributeField,
  isImportField,
  principalColumns,
  type RowPrincipal,
} from '@anagrafe/importer';
import { Box, Button, Fieldset, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages, usePrincipalsMessages } from '../../i18n/language.tsx';
import { Surface } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { isSecret } from './row-fields.tsx';
import { cellsOf, type UsersFile } from './users-file.ts';

/** Unvalidated input that identifies the default principal. */
export interface Named {
  readonly by: 'ID' | 'ExternalKey';
  readonly value: string;
}

/** Fields for the default principal, which applies to rows that name none. */
export function Principal({ named, onChange }: { named: Named; onChange: (named: Named) => void }) {
  const { principal } = useImportMessages();
  const { by, value } = named;
  return (
    <Fieldset legend={principal.label}>
      <Group align="flex-start">
        <NativeSelect
          label={principal.by}
          data={[
            { value: 'ID', label: principal.id },
            { value: 'ExternalKey', label: principal.externalKey },
          ]}
          value={by}
          onChange={(event) =>
            onChange({ by: event.currentTarget.value === 'ID' ? 'ID' : 'ExternalKey', value })
          }
        />
        <TextInput
          label={principal.value}
          value={value}
          onChange={(event) => onChange({ by, value: event.currentTarget.value })}
          error={value !== '' && !principalOf(named) && principal.wrong}
          description={principal.hint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="off"
        />
      </Group>
    </Fieldset>
  );
}

/** Returns null if the input is empty or is not an ID of 1 to 15 digits without a leading zero. */
export function principalOf({ by, value }: Named): RowPrincipal | null {
  if (by === 'ExternalKey') return value === '' ? null : { ExternalKey: value };
  return /^[1-9]\d{0,14}$/.test(value.trim()) ? { ID: Number(value) } : null;
}

/** Returns a function that labels a field, such as `Email` or, for one attribute, `Attributes: Department`. */
export function useImportLabel(): (field: ImportField) => string {
  const { fields, principalField } = useImportMessages();
  const { fields: principalLabels, userFields } = usePrincipalsMessages();
  // `External key` becomes `Principal: external key`; an abbreviation such as VAT stays as it is.
  const lowerFirst = (label: string) => label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const ofPrincipal = [...principalColumns].map(([field, column]) => [
    column,
    principalField(lowerFirst(principalLabels[field])),
  ]);
  const labels: Readonly<Record<string, string>> = {
    ID: principalField('ID'),
    ...fields,
    ...userFields,
    ...Object.fromEntries(ofPrincipal),
  };
  return (field) =>
    isAttributeField(field) ? `${userFields.Attributes}: ${attributeOf(field)}` : (labels[field] ?? field);
}

interface ColumnsProps {
  readonly file: UsersFile;
  readonly columns: ColumnMapping;
  /** True if the mapping of an earlier file with the same columns is used. */
  readonly isSaved: boolean;
  readonly onChange: (columns: ColumnMapping) => void;
  readonly children: ReactNode;
}

const samplesShown = 3;

export function Columns({ file, columns, isSaved, onChange, children }: ColumnsProps) {
  const messages = useImportMessages();
  const label = useImportLabel();
  const { number } = useFormats();
  const attributeFields = Object.values(file.recognised).filter(
    (field) => field !== null && isAttributeField(field),
  );
  const samples = file.rows.slice(0, samplesShown).map((row) => cellsOf(row, file));
  const options = [
    { value: '', label: messages.columns.notRead },
    ...[...importFields, ...attributeFields].map((field) => ({ value: field, label: label(field) })),
  ];
  const labelOf = (name: string, at: number) =>
    name.trim() === '' ? messages.columns.unnamed(number(at + 1)) : name;
  const choose = (name: string, value: string) =>
    onChange({ ...columns, [name]: isImportField(value) ? value : null });
  const tableColumns: readonly Column<{ name: string; at: number }>[] = [
    {
      name: messages.columns.name,
      card: 'title',
      cell: ({ name, at }) => (
        <Text size="sm" fw={600} {...(fieldOf(name) === null && { c: 'dimmed' })}>
          {labelOf(name, at)}
        </Text>
      ),
    },
    {
      name: messages.columns.field,
      card: 'full',
      cell: ({ name, at }) => (
        <NativeSelect
          aria-label={messages.columns.fieldOf(labelOf(name, at))}
          data={options}
          value={fieldOf(name) ?? ''}
          onChange={(event) => choose(name, event.currentTarget.value)}
          miw={190}
        />
      ),
    },
    {
      name: messages.columns.samples,
      card: 'full',
      cell: ({ name, at }) => (
        <Text size="sm" c="dimmed" truncate maw={420}>
          {isSecret(fieldOf(name))
            ? messages.columns.hidden
            : samples.flatMap((cells) => cells[at] || []).join(' · ')}
        </Text>
      ),
    },
  ];

  return (
    <Surface title={messages.columns.title} flush>
      {isSaved && (
        <Group gap="xs" px="lg" pb="md">
          <Text size="sm">{messages.columns.saved}</Text>
          <Button size="xs" variant="default" onClick={() => onChange(file.recognised)}>
            {messages.columns.recognise}
          </Button>
        </Group>
      )}
      <Table
        caption={messages.columns.caption}
        columns={tableColumns}
        rows={file.names.map((name, at) => ({ name, at }))}
        keyOf={({ at }) => at}
        error={null}
        onRetry={() => {}}
        empty={
          <Text px="lg" c="dimmed" size="sm">
            {messages.columns.records}
          </Text>
        }
      />
      <Box p="lg">{children}</Box>
    </Surface>
  );

  function fieldOf(name: string): ImportField | null {
    return columns[name] ?? null;
  }
}
