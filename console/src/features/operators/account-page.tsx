import { RecordError } from '@anagrafe/client';
import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useOperatorsMessages, usePeopleMessages } from '../../i18n/language.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { NotFound, Page, Surface } from '../../ui/page.tsx';
import { Tags } from '../../ui/tags.tsx';
import { SecondFactor } from '../session/second-factor.tsx';
import { useChangePassword, useSession } from '../session/session.ts';
import { useOwnSessions } from './queries.ts';
import { SessionsList } from './sessions-list.tsx';

/** The own account of an operator: password, second factor and sessions. */
export function Account() {
  const { account: messages } = useOperatorsMessages();
  const { role } = usePeopleMessages();
  const operator = useSession().data?.Operator;
  if (!operator) return <NotFound />;
  return (
    <Page title={messages.title} intro={`${operator.Name} · ${operator.Email} · ${role[operator.Role]}`}>
      <Stack>
        {operator.Tags && (
          <Group gap="xs">
            <Text size="sm">{messages.limited}</Text>
            <Tags tags={operator.Tags} />
          </Group>
        )}
        <OwnSessions />
        <Password email={operator.Email} />
        <OwnSecondFactor isSet={operator.SecondFactor} />
      </Stack>
    </Page>
  );
}

function OwnSessions() {
  const { account: messages } = useOperatorsMessages();
  return <SessionsList title={messages.sessions} endAll={messages.endOthers} {...useOwnSessions()} />;
}

function Password({ email }: { email: string }) {
  const { account: messages } = useOperatorsMessages();
  const { setPassword: labels } = usePeopleMessages();
  const notify = useNotice();
  const request = useChangePassword();
  const form = useForm({ initialValues: { Password: '', ConfirmPassword: '' } });
  const submit = form.onSubmit((values) =>
    request.mutate(values, {
      onSuccess: () => {
        form.reset();
        notify(messages.passwordChanged);
      },
      onError: (error) => {
        if (!(error instanceof RecordError)) return;
        const firstOf = (field: string) => error.fieldErrors[field]?.[0]?.message;
        form.setErrors({ Password: firstOf('Password'), ConfirmPassword: firstOf('ConfirmPassword') });
      },
    }),
  );
  return (
    <Surface title={messages.password}>
      <form onSubmit={submit}>
        <Stack maw={440}>
          <Text size="sm" c="dimmed">
            {messages.passwordText}
          </Text>
          {/* For password managers. */}
          <input type="hidden" autoComplete="username" value={email} readOnly />
          <PasswordInput
            label={labels.password}
            autoComplete="new-password"
            required
            {...form.getInputProps('Password')}
          />
          <PasswordInput
            label={labels.repeat}
            autoComplete="new-password"
            required
            {...form.getInputProps('ConfirmPassword')}
          />
          {request.error && !(request.error instanceof RecordError) && <Failure error={request.error} />}
          <Group>
            <Button type="submit" variant="default" loading={request.isPending}>
              {messages.changePassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </Surface>
  );
}

function OwnSecondFactor({ isSet }: { isSet: boolean }) {
  const { account: messages } = useOperatorsMessages();
  const { secondFactor } = usePeopleMessages();
  const [isOpen, setOpen] = useState(false);
  return (
    <Surface title={messages.secondFactor}>
      <Stack maw={440}>
        <Text size="sm" c="dimmed">
          {isSet ? messages.secondFactorSet : messages.secondFactorMissing}
        </Text>
        {isOpen ? (
          <SecondFactor onDone={() => setOpen(false)} />
        ) : (
          <Group>
            <Button variant="default" onClick={() => setOpen(true)}>
              {isSet ? messages.replace : secondFactor.title}
            </Button>
          </Group>
        )}
      </Stack>
    </Surface>
  );
}
