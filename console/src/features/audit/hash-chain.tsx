import type { AuditVerification } from '@anagrafe/client';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditMessages } from '../../i18n/messages.ts';
import { Copied } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Surface } from '../../ui/page.tsx';
import { useVerify } from './queries.ts';

/**
 * Verifies the hash chain of the audit log on request. If it is intact, shows the position and hash of the last row,
 * which the user can store outside the service and compare later.
 */
export function Chain() {
  const { chain } = useAuditMessages();
  const { data, error, isPending, mutate } = useVerify();
  return (
    <Surface
      title={chain.title}
      actions={
        <Button size="xs" loading={isPending} onClick={() => mutate()}>
          {chain.verify}
        </Button>
      }
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {chain.text}
        </Text>
        {error && <Failure error={error} />}
        {data && <VerificationResult verdict={data} />}
      </Stack>
    </Surface>
  );
}

function VerificationResult({ verdict }: { verdict: AuditVerification }) {
  const { chain } = useAuditMessages();
  const { number } = useFormats();
  const { Sound, Rows, Position, Fault, LastPosition, LastSeal } = verdict;
  if (!Sound) {
    return (
      <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title={chain.broken}>
        {chain.brokenText(number(Rows), number(Position ?? 0), Fault ? chain.faults[Fault] : '')}
      </Alert>
    );
  }
  return (
    <>
      <Alert color="teal" variant="light" role="status" icon={<Icon name="check" />} title={chain.sound}>
        {chain.soundText(number(Rows))}
      </Alert>
      {LastPosition !== null && LastSeal !== null && (
        <div>
          <Copied label={chain.end} value={`${LastPosition}:${LastSeal}`} />
          <Text size="xs" c="dimmed" mt={6}>
            {chain.endHint}
          </Text>
        </div>
      )}
    </>
  );
}
