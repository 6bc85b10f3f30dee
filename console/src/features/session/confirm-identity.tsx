import { Anchor, PasswordInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { usePeopleMessages } from '../../i18n/language.tsx';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { useAnagrafe } from './api-client.ts';
import { endConfirmation, useIsConfirming } from './confirmation.ts';
import { sessionKey, useSession } from './session.ts';

/** Asks for the password or a code when the service requires it for an action, which then continues. */
export function ConfirmIdentity() {
  const isConfirming = useIsConfirming();
  // A page that is hidden, because its session has ended, must not keep calls waiting.
  useEffect(() => () => endConfirmation(false), []);
  return isConfirming && <ConfirmDialog />;
}

function ConfirmDialog() {
  const { confirmation: messages } = usePeopleMessages();
  const { console: api } = useAnagrafe();
  const queries = useQueryClient();
  const hasSecondFactor = useSession().data?.Operator?.SecondFactor ?? false;
  const [byCode, setByCode] = useState(false);
  const form = useForm({ initialValues: { proof: '' } });
  const request = useMutation({
    // A 401 means a wrong password here, not an ended session.
    mutationKey: ['sign-in', 'confirm'],
    mutationFn: (proof: string) => api.confirm(byCode ? { Code: proof } : { Password: proof }),
    onSuccess: () => endConfirmation(true),
    onError: () => {
      form.setFieldValue('proof', '');
      return queries.invalidateQueries({ queryKey: sessionKey });
    },
  });
  const cancel = () => endConfirmation(false);
  return (
    <Dialog title={messages.title} onClose={cancel} staysOpen={request.isPending}>
      <DialogForm
        onSubmit={form.onSubmit(({ proof }) => request.mutate(proof))}
        submit={messages.submit}
        request={request}
        atSignIn
        onCancel={cancel}
      >
        <Text size="sm">{messages.text}</Text>
        {byCode ? (
          <TextInput
            key="code"
            label={messages.code}
            description={messages.codeHint}
            autoComplete="one-time-code"
            required
            data-autofocus
            {...form.getInputProps('proof')}
          />
        ) : (
          <PasswordInput
            key="password"
            label={messages.password}
            autoComplete="current-password"
            required
            data-autofocus
            {...form.getInputProps('proof')}
          />
        )}
        {hasSecondFactor && (
          <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setByCode(!byCode)}>
            {byCode ? messages.usePassword : messages.useCode}
          </Anchor>
        )}
      </DialogForm>
    </Dialog>
  );
}
