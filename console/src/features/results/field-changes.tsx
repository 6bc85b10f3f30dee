import type { FieldChange } from '@anagrafe/client';
import { List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePrincipalsMessages, useResultMessages } from '../../i18n/language.tsx';
import classes from './field-changes.module.css';

export interface ShownFieldChange extends FieldChange {
  /** The user of the field, if the fields of several users are listed. */
  readonly owner?: string | null;
  readonly action?: ReactNode;
}

/** A cell shows the beginning of a longer value. */
const shownLength = 200;

/** Lists changed fields with both values: the one before, struck through, and the one after. */
export function FieldChanges({ changes }: { changes: readonly ShownFieldChange[] }) {
  const { fields } = useResultMessages();
  return (
    <List size="sm" spacing={2}>
      {changes.map(({ Field, From, To, owner, action }) => (
        <List.Item key={`${owner} ${Field}`}>
          {owner && `${owner}, `}
          <Text span size="sm" fw={600}>
            {fields[Field] ?? Field}
          </Text>
          {': '}
          <Value field={Field} of={From} kind="from" /> → <Value field={Field} of={To} kind="to" /> {action}
        </List.Item>
      ))}
    </List>
  );
}

/** Returns a function that formats the value of a field as text; null for a missing value. */
export function useValueText(): (field: string, value: unknown) => string | null {
  const states: Readonly<Record<string, string>> = usePrincipalsMessages().states.user;
  return (field, value) => {
    if (value === null || value === undefined || value === '') return null;
    if (typeof value === 'string') return field === 'State' ? (states[value] ?? value) : value;
    if (Array.isArray(value)) return value.join(', ') || null;
    const attributes = Object.entries(value).map(([name, text]) => `${name}: ${text}`);
    return attributes.join(', ') || null;
  };
}

function Value({ field, of, kind }: { field: string; of: unknown; kind: 'from' | 'to' }) {
  const { noValue } = useResultMessages();
  const text = useValueText()(field, of);
  if (text === null) return <em>{noValue}</em>;
  const shown = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  return kind === 'from' ? (
    <del className={classes.from}>{shown}</del>
  ) : (
    <ins className={classes.to}>{shown}</ins>
  );
}
