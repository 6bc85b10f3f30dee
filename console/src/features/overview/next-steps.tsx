import { Anchor, Box, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useOverviewMessages } from '../../i18n/language.tsx';
import { Command } from '../../ui/copy.tsx';
import { Surface } from '../../ui/page.tsx';
import { useAnagrafe } from '../session/api-client.ts';
import { useSession } from '../session/session.ts';

/** Matches the addresses and names of the machine itself. */
const loopback = /^(localhost|127\..*|\[?::1\]?)$/;

/**
 * Reads the address that only this machine can reach, on which the service listens; null if others can reach it. A page
 * that was loaded from another address shows that they can. In protected mode other machines may not call anyway.
 */
function useLocalAddress(isProtectedMode: boolean) {
  const { admin } = useAnagrafe();
  return useQuery({
    queryKey: ['settings'],
    queryFn: async ({ signal }) => {
      const host = (await admin.settings({ signal })).find(({ Name }) => Name === 'ANAGRAFE_HOST')?.Value;
      return host !== undefined && loopback.test(host) ? host : null;
    },
    enabled: !isProtectedMode && loopback.test(location.hostname),
  });
}

/**
 * The first steps with a service that has no principals and no users yet. `placeholder` is shown until their number is
 * known, so that nothing moves.
 */
export function NextSteps({ placeholder }: { placeholder: ReactNode }) {
  const { steps } = useOverviewMessages();
  const isProtectedMode = useSession().data?.State === 'protected';
  const { data: localAddress, isLoading } = useLocalAddress(isProtectedMode);
  const command = firstCall(isProtectedMode);
  if (isLoading) return placeholder;
  return (
    <Surface title={steps.title}>
      <Stack gap="lg" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        <Step number={1} title={steps.client.title} text={steps.client.text}>
          <Anchor component={Link} href="/clients" size="sm">
            {steps.client.action}
          </Anchor>
        </Step>
        <Step number={2} title={steps.register.title} text={steps.register.text}>
          <Box mt={6}>
            <Command text={command} what={steps.register.label} />
          </Box>
          <Anchor component={Link} href="/import" size="sm">
            {steps.register.action}
          </Anchor>
        </Step>
        <Step number={3} title={steps.read.title} text={steps.read.text}>
          <Anchor href="/docs" size="sm">
            {steps.read.action}
          </Anchor>
        </Step>
        {localAddress && (
          <Step number={4} title={steps.others.title} text={steps.others.text(localAddress)} />
        )}
      </Stack>
    </Surface>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

function Step({ number, title, text, children }: StepProps) {
  return (
    <Group component="li" align="flex-start" wrap="nowrap" gap="md">
      <ThemeIcon radius="xl" size={28} variant="light" aria-hidden>
        {number}
      </ThemeIcon>
      <Box flex={1} miw={0}>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {children}
      </Box>
    </Group>
  );
}

/** Returns a curl command that inserts a principal with a user. Protected mode has no keys and needs none. */
function firstCall(isProtectedMode: boolean): string {
  const user = {
    Username: 'mario.rossi',
    Password: 'una frase lunga',
    ConfirmPassword: 'una frase lunga',
  };
  const body = JSON.stringify([{ Denomination: 'Rossi Srl', Users: [user] }]);
  return [
    `curl ${location.origin}/api/sync/v1/irs/insert`,
    "  -H 'Content-Type: application/json'",
    ...(isProtectedMode ? [] : ["  -H 'Authorization: Bearer PUBLIC.SECRET'"]),
    `  -d '${body}'`,
  ].join(' \\\n');
}
