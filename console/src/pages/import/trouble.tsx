import { UnsettledError } from '@anagrafe/client/import';
import { SheetError } from '@anagrafe/client/sheet';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useWords as useCommonWords } from '../../language/words.ts';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useWords } from './words.ts';

interface TroubleProps {
  readonly error: Error;
  readonly title: string;
  readonly onRetry: () => void;
}

/** The file is to blame, what the service said to a part of it, or the way there. */
export function Trouble({ error, title, onRetry }: TroubleProps) {
  const { fault, rowFault } = useWords();
  const { table } = useCommonWords();
  if (error instanceof SheetError) {
    return (
      <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title={title}>
        {fault(error.fault)}
      </Alert>
    );
  }
  if (!(error instanceof UnsettledError)) return <Failure error={error} title={title} onRetry={onRetry} />;
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{rowFault(error.reason)}</Text>
        <Button size="xs" variant="default" onClick={onRetry}>
          {table.retry}
        </Button>
      </Stack>
    </Alert>
  );
}
