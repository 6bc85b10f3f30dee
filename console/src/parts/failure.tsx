import { AnagrafeError, ApiError, ConnectionError, RecordError, TimeoutError } from '@anagrafe/client';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useWords } from '../language/words.ts';
import { Icon } from './icon.tsx';

interface FailureProps {
  readonly error: Error;
  readonly title?: string;
  readonly onRetry?: () => void;
  /** Keys were wrong, and not a session over. */
  readonly atSignIn?: boolean;
}

/** Why something did not work, and what to do about it. */
export function Failure({ error, title, onRetry, atSignIn = false }: FailureProps) {
  const words = useWords();
  const sentence = useFailureSentence(atSignIn)(error);
  const requestId = error instanceof AnagrafeError ? error.requestId : null;
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} {...(title && { title })}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentence}</Text>
        {requestId && (
          <Text size="xs" c="dimmed">
            {words.failure.request(requestId)}
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="default" leftSection={<Icon name="retry" size={14} />} onClick={onRetry}>
            {words.table.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** What the service says about a refusal, it says in the language that was chosen. */
export function useFailureSentence(atSignIn = false): (error: Error) => string {
  const { failure } = useWords();
  return (error) => {
    // Pages are shown to whoever is signed in: that was not so when this was sent.
    if (error instanceof ApiError && error.status === 401 && !atSignIn) return failure.again;
    if (error instanceof ApiError || error instanceof RecordError) return error.message;
    if (error instanceof ConnectionError || error instanceof TimeoutError || isLostPart(error))
      return failure.unreachable;
    return error instanceof AnagrafeError ? failure.strange : failure.unknown;
  };
}

/** A part of the console that is fetched when it is gone to did not come. */
function isLostPart(error: Error): boolean {
  return (
    error instanceof TypeError && /dynamically imported module|module script failed/i.test(error.message)
  );
}
