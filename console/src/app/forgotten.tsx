import { Alert, Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useForgotPassword } from '../features/session/session.ts';
import { useCommonMessages, usePeopleMessages } from '../i18n/language.tsx';
import { Failure } from '../ui/loading-or-error.tsx';
import { AccessFrame } from './access-frame.tsx';

/** Reports a forgotten password. The answer does not tell whether there is such an operator. */
export function Forgotten({ onBack }: { onBack: () => void }) {
  const { forgotten: messages, setPassword } = usePeopleMessages();
  const { signIn } = useCommonMessages();
  const request = useForgotPassword();
  const form = useForm({ initialValues: { email: '' } });
  return (
    <AccessFrame title={messages.title} intro={messages.intro}>
      {request.isSuccess ? (
        <Alert variant="light" color="indigo" role="status">
          {messages.sent}
        </Alert>
      ) : (
        <form onSubmit={form.onSubmit(({ email }) => request.mutate(email.trim()))}>
          <Stack>
            {request.error && <Failure error={request.error} atSignIn />}
            <TextInput
              type="email"
              label={signIn.email}
              autoComplete="username"
              autoFocus
              required
              {...form.getInputProps('email')}
            />
            <Button type="submit" fullWidth loading={request.isPending}>
              {messages.submit}
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component="button" type="button" size="sm" ta="left" onClick={onBack}>
        {setPassword.back}
      </Anchor>
    </AccessFrame>
  );
}
