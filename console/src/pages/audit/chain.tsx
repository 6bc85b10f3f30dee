import type { Verdict } from '@anagrafe/client';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useVerify } from '../../api/audit.ts';
import { useFormats } from '../../language/formats.ts';
import { Copied } from '../../parts/copied.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Surface } from '../../parts/surface.tsx';
import { useWords } from './words.ts';

/** Whether the journal is as it was written, and its end, to be noted elsewhere. */
export function Chain() {
  const { chain } = useWords();
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
        {data && <Judged verdict={data} />}
      </Stack>
    </Surface>
  );
}

function Judged({ verdict }: { verdict: Verdict }) {
  const { chain } = useWords();
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
