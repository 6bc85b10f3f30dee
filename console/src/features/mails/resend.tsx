import type { ResendMails } from '@anagrafe/client';
import { NumberInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useFormats } from '../../i18n/formats.ts';
import { useMailsMessages } from '../../i18n/language.tsx';
import { Dialog, DialogForm, useFinish } from '../../ui/dialog.tsx';
import { useResend } from './queries.ts';

interface ResendProps {
  readonly which: Pick<ResendMails, 'CallID' | 'State'>;
  readonly onClose: () => void;
}

/** Sends new mails to the users that have not set a password since they were invited. Those of a job may be slowed. */
export function Resend({ which, onClose }: ResendProps) {
  const { resend: messages, states, perMinute } = useMailsMessages();
  const { number } = useFormats();
  const finish = useFinish(onClose);
  const request = useResend();
  const form = useForm<{ perMinute: number | string }>({ initialValues: { perMinute: '' } });
  const send = form.onSubmit(({ perMinute: chosen }) =>
    request.mutate(
      { ...which, ...(chosen !== '' && { PerMinute: Number(chosen) }) },
      { onSuccess: (count) => finish(messages.done(count, number(count))) },
    ),
  );
  return (
    <Dialog title={messages.title} onClose={onClose} staysOpen={request.isPending}>
      <DialogForm onSubmit={send} submit={messages.submit} request={request} onCancel={onClose}>
        <Text>{which.State ? messages.textOf(states[which.State]) : messages.text}</Text>
        {which.CallID && (
          <NumberInput
            label={perMinute.label}
            description={perMinute.hint}
            min={1}
            max={100_000}
            allowDecimal={false}
            allowNegative={false}
            {...form.getInputProps('perMinute')}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
