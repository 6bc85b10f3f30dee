import { Alert, Anchor, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useContext, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSetupMessages } from '../../i18n/language.tsx';
import { Command } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { useInviteOperator } from '../operators/queries.ts';
import { useSession } from '../session/session.ts';
import { OpenFirstClient } from './open-first-client.ts';
import { type Step, type StepName, useSetupSteps } from './steps.ts';

const contents: Readonly<Record<StepName, () => ReactNode>> = {
  operator: FirstOperator,
  client: FirstClientStep,
  hosts: Hosts,
  mail: Mail,
  import: ImportStep,
};

/** Leads through the first set-up. Each step can be skipped, and opened again. */
export function Setup() {
  const messages = useSetupMessages();
  const { steps, error, refetch } = useSetupSteps();
  const [opened, open] = useState<StepName | null>(null);
  const [skipped, skip] = useSkipped();
  const isOpen = ({ name, isDone }: Step) => !isDone && !skipped.includes(name);
  const current = opened ?? steps?.find(isOpen)?.name;
  return (
    <Page title={messages.title} intro={messages.intro}>
      {error && <Failure error={error} onRetry={refetch} />}
      <Stack>
        {steps?.map(({ name, isDone }, index) => {
          const Content = contents[name];
          const texts = messages.steps[name];
          const isSkipped = skipped.includes(name);
          return (
            <Surface
              key={name}
              title={`${index + 1}. ${texts.title}`}
              actions={
                <Group gap="xs">
                  {(isDone || isSkipped) && (
                    <Badge color={isDone ? 'teal' : 'gray'}>
                      {isDone ? messages.done : messages.skipped}
                    </Badge>
                  )}
                  {name !== current && (
                    <Button
                      variant="default"
                      size="xs"
                      aria-label={messages.openStep(texts.title)}
                      onClick={() => open(name)}
                    >
                      {messages.open}
                    </Button>
                  )}
                </Group>
              }
            >
              {name === current && (
                <Stack maw={640} align="flex-start">
                  <Text size="sm">{texts.text}</Text>
                  <Content />
                  {!isDone && (
                    <Button
                      variant="subtle"
                      size="xs"
                      onClick={() => {
                        skip(name);
                        open(null);
                      }}
                    >
                      {messages.skip}
                    </Button>
                  )}
                </Stack>
              )}
            </Surface>
          );
        })}
      </Stack>
      {steps && !current && (
        <Alert mt="md" color="teal" variant="light" icon={<Icon name="check" />} role="status">
          {messages.complete}
        </Alert>
      )}
    </Page>
  );
}

const place = 'anagrafe-setup-skipped';

function useSkipped(): readonly [readonly string[], (name: StepName) => void] {
  const [skipped, setSkipped] = useState(() => (localStorage.getItem(place) ?? '').split(','));
  return [
    skipped,
    (name) => {
      const next = [...new Set([...skipped, name])];
      localStorage.setItem(place, next.join(','));
      setSkipped(next);
    },
  ];
}

/** Creates the first operator, which sets its password at once. */
function FirstOperator() {
  const { operator: messages } = useSetupMessages();
  const [, navigate] = useLocation();
  const request = useInviteOperator();
  const isOperator = !!useSession().data?.Operator;
  const form = useForm({ initialValues: { Name: '', Email: '' } });
  if (isOperator)
    return (
      <Anchor component={Link} href="/operators" size="sm">
        {messages.more}
      </Anchor>
    );
  return (
    <form
      style={{ width: '100%' }}
      onSubmit={form.onSubmit((values) =>
        request.mutate(
          { ...values, Role: 'admin' },
          { onSuccess: ({ Code }) => navigate('/password', { state: { code: Code, next: '/setup' } }) },
        ),
      )}
    >
      <Stack maw={440}>
        <TextInput label={messages.name} maxLength={255} required {...form.getInputProps('Name')} />
        <TextInput
          type="email"
          label={messages.email}
          maxLength={254}
          required
          {...form.getInputProps('Email')}
        />
        {request.error && <Failure error={request.error} />}
        <Group>
          <Button type="submit" loading={request.isPending}>
            {messages.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function FirstClientStep() {
  const { client: messages } = useSetupMessages();
  const isProtectedMode = useSession().data?.State === 'protected';
  const { isDone } = useSetupSteps().steps?.find(({ name }) => name === 'client') ?? {};
  const open = useContext(OpenFirstClient);
  if (isDone)
    return (
      <Anchor component={Link} href="/clients" size="sm">
        {messages.more}
      </Anchor>
    );
  return (
    <>
      {isProtectedMode && <Text size="sm">{messages.withoutOperator}</Text>}
      <Button onClick={open}>{messages.create}</Button>
    </>
  );
}

/** The host name under which this page was opened, unless it is that of the machine itself. */
function ownHost(): string {
  return /^(localhost|127\.|\[|\d+\.)/.test(location.hostname) ? 'anagrafe.example.com' : location.hostname;
}

function Hosts() {
  const { hosts: messages } = useSetupMessages();
  const host = ownHost();
  return (
    <>
      <Command
        what={messages.lines}
        text={[
          'ANAGRAFE_HOST=0.0.0.0',
          `ANAGRAFE_ALLOWED_HOSTS=${host}`,
          `ANAGRAFE_PUBLIC_URL=https://${host}`,
        ].join('\n')}
      />
      <SettingsNote />
    </>
  );
}

function Mail() {
  const { mail: messages } = useSetupMessages();
  return (
    <>
      <Command
        what={messages.lines}
        text={[
          'ANAGRAFE_SMTP_URL=smtp://user:password@mail.example.com:587',
          'ANAGRAFE_MAIL_FROM=Anagrafe <no-reply@example.com>',
        ].join('\n')}
      />
      <SettingsNote />
    </>
  );
}

function SettingsNote() {
  const messages = useSetupMessages();
  return (
    <Text size="sm" c="dimmed">
      {messages.settings}
    </Text>
  );
}

function ImportStep() {
  const messages = useSetupMessages();
  return (
    <Button component={Link} href="/import">
      {messages.import.open}
    </Button>
  );
}
