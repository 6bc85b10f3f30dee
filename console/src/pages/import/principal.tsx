import type { SheetPrincipal } from '@anagrafe/client/sheet';
import { Fieldset, Group, NativeSelect, TextInput } from '@mantine/core';
import { useWords } from './words.ts';

/** Which principal is meant, as far as it was typed. */
export interface Named {
  readonly by: 'ID' | 'ExternalKey';
  readonly value: string;
}

interface PrincipalProps {
  readonly named: Named;
  readonly onChange: (named: Named) => void;
}

/** Whose the users are in rows that do not say it. */
export function Principal({ named, onChange }: PrincipalProps) {
  const { principal } = useWords();
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

/** Null where none was typed, or what cannot be one. */
export function principalOf({ by, value }: Named): SheetPrincipal | null {
  if (by === 'ExternalKey') return value === '' ? null : { ExternalKey: value };
  return /^[1-9]\d{0,14}$/.test(value.trim()) ? { ID: Number(value) } : null;
}
