import { ImportFileError } from '@anagrafe/importer';
import { Alert } from '@mantine/core';
import { useImportMessages } from '../../i18n/language.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';

interface FileFailureProps {
  readonly error: Error;
  readonly title: string;
  /** Why the file itself cannot be used; null for another error. An `ImportFileError` has its own reason. */
  readonly reason?: string | null;
  readonly onRetry?: () => void;
}

/** Shows why a file cannot be read, checked or sent. If the file itself is the reason, there is no retry button. */
export function FileFailure({ error, title, reason = null, onRetry }: FileFailureProps) {
  const { fileError } = useImportMessages();
  const shown = error instanceof ImportFileError ? fileError(error.detail) : reason;
  if (shown === null) return <Failure error={error} title={title} {...(onRetry && { onRetry })} />;
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title={title}>
      {shown}
    </Alert>
  );
}
