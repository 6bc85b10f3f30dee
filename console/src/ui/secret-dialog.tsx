import { Alert, Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFormats } from '../i18n/formats.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { Copied, type CopiedProps } from './copy.tsx';
import { Dialog, DialogForm } from './dialog.tsx';
import { Icon } from './icon.tsx';

export interface Secret {
  readonly once: string;
  readonly values: readonly CopiedProps[];
  readonly done: string;
}

export function useKeys(): (keys: { readonly PublicKey: string; readonly SecretKey: string }) => Secret {
  const { secret } = useCommonMessages();
  return ({ PublicKey, SecretKey }) => ({
    once: secret.once,
    values: [
      { label: secret.publicKey, value: PublicKey },
      { label: secret.secretKey, value: SecretKey },
      { label: secret.both, value: `${PublicKey}.${SecretKey}` },
    ],
    done: secret.stored,
  });
}

interface SecretDialogProps {
  readonly title: string;
  readonly opened?: boolean;
  readonly isPending: boolean;
  /** The secret, once the service has returned it; the only time that it does. */
  readonly secret: Secret | null | undefined;
  readonly note?: ReactNode;
  /** Disables the button while the secret is still in use. */
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form, and then the secret that it has created, until the reader confirms that it is stored. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, opened = true, isPending, secret, note, isBusy = false, onClose, children } = props;
  return (
    <Dialog title={title} opened={opened} onClose={onClose} staysOpen={!!secret || isPending}>
      {secret ? (
        <Stack>
          <Alert color="yellow" variant="light" icon={<Icon name="warning" />} tabIndex={-1} ref={takeFocus}>
            {secret.once}
          </Alert>
          {secret.values.map((value) => (
            <Copied key={value.label} {...value} />
          ))}
          {note}
          <Group justify="flex-end">
            <Button onClick={onClose} loading={isBusy}>
              {secret.done}
            </Button>
          </Group>
        </Stack>
      ) : (
        children
      )}
    </Dialog>
  );
}

/** Focuses the warning, since the form that had the focus is unmounted: keyboard users continue here. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}

interface RotateDialogProps<Rotated extends { readonly OldEndsAt: string }> {
  readonly title: string;
  readonly messages: {
    readonly rotateText: string;
    readonly hours: string;
    readonly hoursHint: string;
    readonly rotateSubmit: string;
    oldEnds(moment: string): string;
  };
  /** The mutation takes the number of hours that the old secret stays valid. */
  readonly request: UseMutationResult<Rotated, Error, number>;
  readonly secretOf: (rotated: Rotated) => Secret;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Replaces a secret. The old one stays valid beside the new one for 0 to 9999 hours. */
export function RotateDialog<Rotated extends { readonly OldEndsAt: string }>(
  props: RotateDialogProps<Rotated>,
) {
  const { title, messages, request, secretOf, onClose, children } = props;
  const { data, isPending } = request;
  const { moment } = useFormats();
  const form = useForm<{ hours: number | string }>({ initialValues: { hours: 24 } });
  return (
    <SecretDialog
      title={title}
      isPending={isPending}
      secret={data && secretOf(data)}
      note={data && <Text size="sm">{messages.oldEnds(moment(new Date(data.OldEndsAt)))}</Text>}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={form.onSubmit(({ hours }) => request.mutate(Number(hours)))}
        submit={messages.rotateSubmit}
        request={request}
        onCancel={onClose}
        disabled={form.values.hours === ''}
      >
        <Text>{messages.rotateText}</Text>
        {children}
        <NumberInput
          label={messages.hours}
          description={messages.hoursHint}
          min={0}
          max={9999}
          allowDecimal={false}
          allowNegative={false}
          required
          data-autofocus
          {...form.getInputProps('hours')}
        />
      </DialogForm>
    </SecretDialog>
  );
}
