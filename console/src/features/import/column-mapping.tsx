import {
  type ColumnMapping,
  type ImportField,
  importFields,
  isImportField,
  principalColumns,
  type RowPrincipal,
} from '@anagrafe/importer';
import { Box, Fieldset, Group, NativeSelect, Text, TextInput } from '@mantine/core';
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

export function useImportLabels(): Readonly<Record<ImportField, string>> {
  const { fields, principalField } = useImportMessages();
  const { fields: principalLabels, userFields } = usePrincipalsMessages();
  // `External key` becomes `Principal: external key`; an abbreviation such as VAT stays as it is.
  const lowerFirst = (label: string) => label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const ofPrincipal = [...principalColumns].map(([field, column]) => [
    column,
    principalField(lowerFirst(principalLabels[field])),
  ]);
  return { ID: principalField('ID'), ...fields, ...userFields, ...Object.fromEntries(ofPrincipal) };
}

interface ColumnsProps {
  readonly file: UsersFile;
  readonly columns: ColumnMapping;
  readonly onChange: (columns: ColumnMapping) => void;
  readonly children: ReactNode;
}

const samplesShown = 3;

export function Columns({ file, columns, onChange, children }: ColumnsProps) {
  const messages = useImportMessages();
  const labels = useImportLabels();
  const { number } = useFormats();
  const samples = file.rows.slice(0, samplesShown).map((row) => cellsOf(row, file));
  const options = [
    { value: '', label: messages.columns.notRead },
    ...importFields.map((field) => ({ value: field, label: labels[field] })),
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
