import type { Tuple } from '@anagrafe/client';
import { List, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useResultMessages } from '../../i18n/language.tsx';
import { CellLink, Note } from '../../ui/table.tsx';

const pathPattern = /^(?:Users\[(\d+)\])?(?:(?:^|\.)(\w+))?$/;

/** Returns the label of a field path: "User 1, Password" for `Users[0].Password`. An unknown path stays unchanged. */
export function useFieldLabel(): (path: string) => string {
  const { user, fields } = useResultMessages();
  const { number } = useFormats();
  return (path) => {
    const [, index, field] = pathPattern.exec(path) ?? [];
    const parts = [index && user(number(Number(index) + 1)), field && (fields[field] ?? field)];
    return parts.filter(Boolean).join(', ') || path;
  };
}

/** The maximum number of fields shown. A record may have a thousand users, each with an error. */
const maxFields = 20;

export function FieldErrorList({ tuple }: { tuple: Tuple }) {
  const { tuples } = useResultMessages();
  const { number } = useFormats();
  const labelOf = useFieldLabel();
  const fields = Object.entries(tuple.Item5);
  // A record with a single field error often has the same message.
  const isRepeated = fields.some(([, errors]) => errors.some(({ message }) => message === tuple.Item4));
  return (
    <>
      {!isRepeated && <Text size="sm">{tuple.Item4}</Text>}
      {fields.length > 0 && (
        <List size="sm" mt={isRepeated ? 0 : 4} spacing={2}>
          {fields.slice(0, maxFields).map(([path, errors]) => (
            <List.Item key={path}>
              <Text span size="sm" fw={600}>
                {labelOf(path)}
              </Text>
              {': '}
              {errors.map(({ message }) => message).join(' ')}{' '}
              <Text span size="xs" c="dimmed">
                {errors.map(({ code }) => code).join(', ')}
              </Text>
            </List.Item>
          ))}
        </List>
      )}
      {fields.length > maxFields && (
        <Text size="xs" c="dimmed" mt={4}>
          {tuples.moreFields(number(fields.length - maxFields))}
        </Text>
      )}
    </>
  );
}

interface RecordSubjectProps {
  /** The ID of the principal; null if the record did not name an existing one. */
  readonly id: number | null;
  /** The error code of the record; null if it was applied. */
  readonly code: string | null;
  readonly externalKey: string | null | undefined;
  /** The first user of the record. */
  readonly username: string | null | undefined;
}

/**
 * The principal and the first user of a record. The ID is linked to the page of the principal unless the error code says
 * that the principal does not exist.
 */
export function RecordSubject({ id, code, externalKey, username }: RecordSubjectProps) {
  const isMissing = id === null || code === 'PRINCIPAL_NOT_FOUND';
  const notes = [id !== null && externalKey, username].filter(Boolean);
  return (
    <>
      {isMissing ? (
        (id ?? externalKey ?? '—')
      ) : (
        <CellLink href={`/principals/${id}`} isUnderlined>
          {id}
        </CellLink>
      )}
      {notes.length > 0 && <Note>{notes.join(' · ')}</Note>}
    </>
  );
}
