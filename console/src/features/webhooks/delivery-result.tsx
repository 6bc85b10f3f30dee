import type { DeliveryDetails } from '@anagrafe/client';
import { Alert, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useFailureCauseMessages, useWebhooksMessages } from '../../i18n/language.tsx';
import { Copy, wrapped } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { causeOf } from './failure-cause.ts';

interface TextBlockProps {
  readonly title: string;
  readonly text: string | null;
  /** The text to copy, if it differs from the text to show. */
  readonly whole?: string;
  /** A remark below the text, or the reason why there is no text. */
  readonly note?: string | undefined;
}

function TextBlock({ title, text, whole = text ?? '', note }: TextBlockProps) {
  const id = useId();
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={3} size="h6" id={id}>
          {title}
        </Title>
        {text !== null && <Copy value={whole} what={title} />}
      </Group>
      {text !== null && (
        // The block is focusable so that the arrow keys can scroll a long text.
        <Code
          block
          mah="18rem"
          style={{ ...wrapped, overflow: 'auto' }}
          role="region"
          aria-labelledby={id}
          tabIndex={0}
        >
          {text}
        </Code>
      )}
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  );
}

/** The maximum number of characters shown. A message may contain a hundred thousand users. */
const maxLength = 20_000;

/** The body of a delivery, indented for reading. The copy is unformatted, because the signature covers that text. */
export function Message({ body }: { body: string | null }) {
  const { delivery } = useWebhooksMessages();
  if (body === null) return <TextBlock title={delivery.body} text={null} note={delivery.forgotten} />;
  const indented = JSON.stringify(JSON.parse(body), null, 2);
  const isTruncated = indented.length > maxLength;
  return (
    <TextBlock
      title={delivery.body}
      text={isTruncated ? `${indented.slice(0, maxLength)} …` : indented}
      whole={body}
      note={isTruncated ? delivery.shortened : undefined}
    />
  );
}

/** The maximum number of characters of a response that the service stores. */
const limit = 1000;

export function Answer({ text }: { text: string | null }) {
  const { list, delivery } = useWebhooksMessages();
  const note = text === null ? delivery.noAnswer : [...text].length >= limit ? delivery.beginning : undefined;
  return <TextBlock title={list.answer} text={text} note={note} />;
}

interface DeliveryResultProps {
  readonly result: Pick<DeliveryDetails, 'Status' | 'FailureCode' | 'FailureDetails' | 'Milliseconds'>;
  /** The receiver accepted the delivery; it is not sent again. */
  readonly delivered: boolean;
}

export function DeliveryResult({ result, delivered }: DeliveryResultProps) {
  const messages = useWebhooksMessages();
  const { causes } = useFailureCauseMessages();
  const cause = causeOf(result);
  const look = delivered
    ? ({ color: 'teal', icon: 'check', title: messages.delivered } as const)
    : cause
      ? ({ color: 'red', icon: 'warning', title: causes[cause].what } as const)
      : ({ color: 'indigo', icon: 'info', title: messages.waiting } as const);
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
        <Attempt result={result} />
      </Stack>
    </Alert>
  );
}

/** "It answered 503 after 12 ms", "ECONNREFUSED after 3 ms". */
function Attempt({ result: { Status, FailureDetails, Milliseconds } }: Pick<DeliveryResultProps, 'result'>) {
  const { answered, took } = useWebhooksMessages();
  const { number } = useFormats();
  if (Milliseconds === null) return null;
  const what = Status === null ? FailureDetails?.NetworkError : answered(Status);
  return <Text size="xs">{[what, took(number(Milliseconds))].filter(Boolean).join(' ')}</Text>;
}
