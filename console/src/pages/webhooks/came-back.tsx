import type { WholeDelivery } from '@anagrafe/client';
import { Alert, Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { causeOf } from '../../parts/causes/cause.ts';
import { useCauseWords } from '../../parts/causes/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { useWords } from './words.ts';

interface CameBackProps {
  readonly came: Pick<WholeDelivery, 'Status' | 'Failure' | 'Milliseconds'>;
  /** Whether it is taken, and not to be sent again. */
  readonly delivered: boolean;
}

/** What came of a message, and what to do where the receiver did not take it. */
export function CameBack({ came, delivered }: CameBackProps) {
  const { taken, waiting } = useWords();
  const { causes } = useCauseWords();
  const cause = causeOf(came);
  const look = delivered
    ? ({ color: 'teal', icon: 'check', title: taken } as const)
    : cause
      ? ({ color: 'red', icon: 'warning', title: causes[cause].what } as const)
      : ({ color: 'indigo', icon: 'info', title: waiting } as const);
  return (
    <Alert
      color={look.color}
      variant="light"
      role="status"
      icon={<Icon name={look.icon} />}
      title={look.title}
    >
      <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
        {cause && <Text size="sm">{causes[cause].todo}</Text>}
        <Attempt came={came} />
      </Stack>
    </Alert>
  );
}

/** "It answered 503 after 12 ms", "ECONNREFUSED after 3 ms". A sentence of the service is said by the cause already. */
function Attempt({ came: { Status, Failure, Milliseconds } }: Pick<CameBackProps, 'came'>) {
  const { answered, took } = useWords();
  const { number } = useFormats();
  if (Milliseconds === null) return null;
  const what = Status === null ? Failure?.match(/^\S+$/)?.[0] : answered(Status);
  return <Text size="xs">{[what, took(number(Milliseconds))].filter(Boolean).join(' ')}</Text>;
}
