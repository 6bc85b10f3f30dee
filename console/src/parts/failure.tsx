import { AnagrafeError, ApiError, ConnectionError, RecordError, TimeoutError } from '@anagrafe/client';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useWords } from '../language/words.ts';
import { Icon } from './icon.tsx';

interface FailureProps {
  readonly error: Error;
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** Why something did not work, and what to do about it. */
export function Failure({ error, title, onRetry }: FailureProps) {
  const words = useWords();
  const sentence = useFailureSentence()(error);
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
export function useFailureSentence(): (error: Error) => string {
  const { failure } = useWords();
  return (error) => {
    if (error instanceof ApiError || error instanceof RecordError) return error.message;
    if (error instanceof ConnectionError || error instanceof TimeoutError) return failure.unreachable;
    return error instanceof AnagrafeError ? failure.strange : failure.unknown;
  };
}
