import type { EventType, Granularity } from '@anagrafe/client';
import { Checkbox, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useWebhooksMessages } from '../../i18n/messages.ts';
import { FormButtons } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { eventTypes, useEventTypeMessages } from '../events/event-types.ts';

/** The editable settings of a webhook. An empty list of types selects all types. */
export interface Choices {
  readonly URL: string;
  readonly Types: EventType[];
  readonly Granularity: Granularity;
}

interface WebhookFormProps {
  readonly start: Choices;
  readonly submit: string;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onSubmit: (choices: Choices) => void;
  readonly onCancel: () => void;
}

const granularities: readonly Granularity[] = ['record', 'user', 'job'];

export function WebhookForm({ start, submit, busy, error, onSubmit, onCancel }: WebhookFormProps) {
  const { form } = useWebhooksMessages();
  const names = useEventTypeMessages();
  const [url, setUrl] = useState(start.URL);
  const [types, setTypes] = useState<EventType[]>(start.Types);
  const [granularity, setGranularity] = useState(start.Granularity);

  function send(event: FormEvent) {
    event.preventDefault();
    onSubmit({ URL: url.trim(), Types: types, Granularity: granularity });
  }

  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          label={form.url}
          description={form.urlHint}
          type="url"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          required
          withAsterisk={false}
          placeholder="https://erp.example.com/hooks"
          data-autofocus
        />
        <Checkbox.Group
          label={form.types}
          description={form.typesHint}
          value={types}
          onChange={(values) => setTypes(eventTypes.filter((type) => values.includes(type)))}
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
            {eventTypes.map((type) => (
              <Checkbox key={type} value={type} label={names[type]} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <Radio.Group
          label={form.granularity}
          value={granularity}
          onChange={(value) => setGranularity(granularities.find((one) => one === value) ?? granularity)}
        >
          <Stack gap="xs" mt="xs">
            {granularities.map((one) => (
              <Radio key={one} value={one} label={form.granularityHint[one]} />
            ))}
          </Stack>
        </Radio.Group>
        {error && <Failure error={error} />}
        <FormButtons submit={submit} busy={busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
