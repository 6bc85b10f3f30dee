import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useCreatePrincipal } from '../../api/principals.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useNotice } from '../../parts/notice.tsx';
import { useFaultFocus } from './fault-focus.ts';
import { faultsOf, isBesideFields, sentenceAt } from './faults.ts';
import { useWords } from './words.ts';

const fields = ['Denomination', 'ExternalKey', 'Name', 'Surname', 'Vatnumber', 'Taxcode', 'Email'] as const;

/** Asks for what is known of a principal, and goes to its page. */
export function Create({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const say = useNotice();
  const [, go] = useLocation();
  const { mutate, error, isPending, reset } = useCreatePrincipal();
  const form = useFaultFocus(error);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const faults = faultsOf(error);

  function submit(event: FormEvent) {
    event.preventDefault();
    const record = Object.fromEntries(fields.map((field) => [field, texts[field]?.trim() || null]));
    mutate(record, {
      onSuccess: (id) => {
        say(words.created);
        go(`/principals/${id}`);
      },
    });
  }

  return (
    <Dialog title={words.create} opened onClose={onClose} lasting={isPending}>
      <form ref={form} onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            {words.createIntro}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {fields.map((field, place) => (
              <TextInput
                key={field}
                label={words.fields[field]}
                value={texts[field] ?? ''}
                onChange={({ currentTarget: { value } }) => {
                  setTexts((before) => ({ ...before, [field]: value }));
                  if (error) reset();
                }}
                error={sentenceAt(faults, field)}
                type={field === 'Email' ? 'email' : 'text'}
                autoComplete="off"
                {...(place === 0 && { 'data-autofocus': true })}
              />
            ))}
          </SimpleGrid>
          {error && !isBesideFields(error, fields) && <Failure error={error} />}
          <FormButtons submit={words.submitCreate} busy={isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
