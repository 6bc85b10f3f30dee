import { AnagrafeError, ApiError, ConnectionError, RecordError, TimeoutError } from '@anagrafe/client';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useCommonMessages } from '../i18n/language.tsx';
import { Icon } from './icon.tsx';

interface FailureProps {
  readonly error: Error;
  readonly title?: string;
  readonly onRetry?: () => void;
  /** A 401 means wrong keys, not an ended session. */
  readonly atSignIn?: boolean;
}

export function Failure({ error, title, onRetry, atSignIn = false }: FailureProps) {
  const messages = useCommonMessages();
  const sentence = useFailureSentence(atSignIn)(error);
  const requestId = error instanceof AnagrafeError ? error.requestId : null;
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} {...(title && { title })}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentence}</Text>
        {requestId && (
          <Text size="xs" c="dimmed">
            {messages.failure.request(requestId)}
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="default" leftSection={<Icon name="retry" size={14} />} onClick={onRetry}>
            {messages.table.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Returns the message of an error. An `ApiError` carries a message of the service in the chosen language. */
export function useFailureSentence(atSignIn = false): (error: Error) => string {
  const { failure } = useCommonMessages();
  return (error) => {
    // A visible page has a session, so the request was sent before the latest sign-in and may be repeated.
    if (error instanceof ApiError && error.status === 401 && !atSignIn) return failure.again;
    if (error instanceof ApiError || error instanceof RecordError) return error.message;
    if (error instanceof ConnectionError || error instanceof TimeoutError || isChunkLoadError(error))
      return failure.unreachable;
    return error instanceof AnagrafeError ? failure.strange : failure.unknown;
  };
}

function isChunkLoadError(error: Error): boolean {
  return (
    error instanceof TypeError && /dynamically imported module|module script failed/i.test(error.message)
  );
}

/** The error boundary of a page that throws, or whose chunk no longer exists after an upgrade of the service. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? <Failure error={error} onRetry={() => location.reload()} /> : this.props.children;
  }
}
