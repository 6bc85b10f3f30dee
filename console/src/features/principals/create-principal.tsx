import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { usePrincipalsMessages } from '../../i18n/messages.ts';
import { Dialog, FormButtons } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { faultsOf, isBesideFields, sentenceAt, useFaultFocus } from './form-errors.ts';
import { useCreatePrincipal } from './queries.ts';

const fields = ['Denomination', 'ExternalKey', 'Name', 'Surname', 'Vatnumber', 'Taxcode', 'Email'] as const;

/** Creates a principal and opens its page. */
export function Create({ onClose }: { onClose: () => void }) {
  const messages = usePrincipalsMessages();
  const say = useNotice();
  const [, go] = useLocation();
  const { mutate, error, isPending, reset } = useCreatePrincipal();
  const form = useFaultFocus(error);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const fieldErrors = faultsOf(error);

  function submit(event: FormEvent) {
    event.preventDefault();
    const record = Object.fromEntries(fields.map((field) => [field, texts[field]?.trim() || null]));
    mutate(record, {
      onSuccess: (id) => {
        say(messages.created);
        go(`/principals/${id}`);
      },
    });
  }

  return (
    <Dialog title={messages.create} opened onClose={onClose} lasting={isPending}>
      <form ref={form} onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            {messages.createIntro}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {fields.map((field, index) => (
              <TextInput
                key={field}
                label={messages.fields[field]}
                value={texts[field] ?? ''}
                onChange={({ currentTarget: { value } }) => {
                  setTexts((before) => ({ ...before, [field]: value }));
                  if (error) reset();
                }}
                error={sentenceAt(fieldErrors, field)}
                type={field === 'Email' ? 'email' : 'text'}
                autoComplete="off"
                {...(index === 0 && { 'data-autofocus': true })}
              />
            ))}
          </SimpleGrid>
          {error && !isBesideFields(error, fields) && <Failure error={error} />}
          <FormButtons submit={messages.submitCreate} busy={isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
