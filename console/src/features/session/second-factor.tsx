import { Alert, Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { encode } from 'uqr';
import { usePeopleMessages } from '../../i18n/language.tsx';
import { Copied, Copy, saveFile } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useAnagrafe } from './api-client.ts';
import { sessionKey } from './session.ts';
import { useKeepVisible } from './watch-session.ts';

/** Sets up the second factor: the QR code for an authenticator app, its first code, then ten recovery codes. */
export function SecondFactor({ onDone }: { onDone?: () => void }) {
  const { secondFactor: messages } = usePeopleMessages();
  const { console: api } = useAnagrafe();
  const queries = useQueryClient();
  const begun = useQuery({
    queryKey: ['second-factor'],
    queryFn: () => api.beginSecondFactor(),
    // The secret is created once for each visit, and is not kept.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const form = useForm({ initialValues: { code: '' } });
  const enrol = useMutation({ mutationFn: (code: string) => api.enrolSecondFactor(code) });
  // The recovery codes are shown once: they must not disappear when the session is read again.
  useKeepVisible(enrol.isPending || enrol.isSuccess);
  if (enrol.data)
    return (
      <RecoveryCodes
        codes={enrol.data}
        onStored={() => {
          void queries.invalidateQueries({ queryKey: sessionKey });
          onDone?.();
        }}
      />
    );
  if (begun.error) return <Failure error={begun.error} onRetry={begun.refetch} />;
  return (
    <form onSubmit={form.onSubmit(({ code }) => enrol.mutate(code))}>
      <Stack>
        <Text size="sm">{messages.scan}</Text>
        {begun.data && (
          <>
            <QrCode text={begun.data.URI} label={messages.qr} />
            <Copied label={messages.secret} value={begun.data.Secret} />
          </>
        )}
        <TextInput
          label={messages.code}
          description={messages.codeHint}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...form.getInputProps('code')}
        />
        {enrol.error && <Failure error={enrol.error} />}
        <Button type="submit" loading={enrol.isPending}>
          {messages.submit}
        </Button>
      </Stack>
    </form>
  );
}

function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }) {
  const { secondFactor: messages } = usePeopleMessages();
  const text = codes.join('\n');
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="warning" />} role="status">
        {messages.recovery}
      </Alert>
      <List type="ordered" size="sm" aria-label={messages.recoveryCodes}>
        {codes.map((code) => (
          <List.Item key={code}>
            <Code>{code}</Code>
          </List.Item>
        ))}
      </List>
      <Group>
        <Copy value={text} what={messages.recoveryCodes} />
        <Button variant="default" onClick={() => saveFile(messages.file, [`${text}\n`], 'text/plain')}>
          {messages.save}
        </Button>
        <Button onClick={onStored}>{messages.stored}</Button>
      </Group>
    </Stack>
  );
}

/** A QR code with its quiet zone, dark on white in both colour schemes: not every app reads inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { border: 4 });
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size, path: dark.join('') };
  }, [text]);
  return (
    <svg role="img" aria-label={label} width={220} height={220} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
