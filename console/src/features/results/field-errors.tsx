import type { Tuple } from '@anagrafe/client';
import { List, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useResultMessages } from '../../i18n/language.tsx';
import { CellLink } from '../../ui/table.tsx';

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

export function Faults({ tuple }: { tuple: Tuple }) {
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
          {tuples.moreFaults(number(fields.length - maxFields))}
        </Text>
      )}
    </>
  );
}

/** A principal ID, linked to its page unless the error code says that the principal does not exist. */
export function PrincipalLink({ id, code }: { id: number | null; code: string | null }) {
  if (id === null || code === 'PRINCIPAL_NOT_FOUND') return id ?? '—';
  return (
    <CellLink href={`/principals/${id}`} isUnderlined>
      {id}
    </CellLink>
  );
}
