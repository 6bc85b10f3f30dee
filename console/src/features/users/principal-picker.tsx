import type { Principal } from '@anagrafe/client';
import { Radio, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useUsersMessages } from '../../i18n/language.tsx';
import { nameOf, useFoundPrincipals } from './find-principals.ts';

interface PrincipalPickerProps {
  readonly chosen: Principal | null;
  readonly onChoose: (principal: Principal | null) => void;
  /** The ID of a principal that cannot be chosen. */
  readonly except?: number;
}

/** Finds a principal by its name, key or number, and lets the reader choose it. */
export function PrincipalPicker({ chosen, onChoose, except }: PrincipalPickerProps) {
  const { picker: messages } = useUsersMessages();
  const [typed, setTyped] = useState('');
  const [term] = useDebouncedValue(typed.trim(), 250);
  const { data: found = [] } = useFoundPrincipals(term);
  // The chosen one stays in the list while another is searched.
  const listed = [
    ...(chosen ? [chosen] : []),
    ...found.filter(({ ID }) => ID !== chosen?.ID && ID !== except),
  ];
  return (
    <>
      <TextInput
        label={messages.search}
        placeholder={messages.searchHint}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        maxLength={200}
        autoComplete="off"
        data-autofocus
      />
      <Radio.Group
        label={messages.found}
        value={chosen === null ? null : String(chosen.ID)}
        onChange={(id) => onChoose(listed.find(({ ID }) => String(ID) === id) ?? null)}
      >
        <Stack gap="xs" mt="xs" mih={120}>
          {listed.map((principal) => (
            <Radio
              key={principal.ID}
              value={String(principal.ID)}
              label={nameOf(principal)}
              description={[`ID ${principal.ID}`, principal.ExternalKey, principal.Vatnumber]
                .filter(Boolean)
                .join(' · ')}
            />
          ))}
        </Stack>
      </Radio.Group>
    </>
  );
}
