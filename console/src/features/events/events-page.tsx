import type { CloudEvent } from '@anagrafe/client';
import { Code, NativeSelect } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useEventsMessages, useEventTypeMessages, useResultMessages } from '../../i18n/language.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import type { Column } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { eventTypes, useEvents } from './queries.ts';

/** `/console/events`: the events, newest first. `?type=user.registered` filters by type. */
export function Events() {
  const messages = useEventsMessages();
  const typeNames = useEventTypeMessages();
  const about = useEventSubject();
  const [search, setSearch] = useSearchParams();
  const type = eventTypes.find((known) => known === search.get('type')) ?? null;
  const list = useEvents(type);
  const { reachedAt, exists: hasOlder } = list.older;
  const { moment } = useFormats();
  const columns: readonly Column<CloudEvent>[] = [
    { name: messages.columns.at, cell: ({ time }) => <Moment at={time} /> },
    {
      name: messages.columns.type,
      card: 'title',
      cell: ({ type }) => typeNames[type],
    },
    { name: messages.columns.about, card: 'full', cell: about },
    { name: messages.columns.id, cell: ({ id }) => <Code>{id}</Code> },
  ];

  const typeFilter = (
    <NativeSelect
      aria-label={messages.type}
      value={type ?? ''}
      onChange={({ currentTarget: { value } }) => setSearch(value === '' ? {} : { type: value })}
      data={[
        { value: '', label: messages.allTypes },
        ...eventTypes.map((value) => ({ value, label: typeNames[value] })),
      ]}
    />
  );
  const isSearched = type !== null && reachedAt !== null;
  const emptyOfType = hasOlder ? messages.emptySoFar : messages.emptyType;
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={typeFilter}
      caption={messages.caption}
      columns={columns}
      list={list}
      keyOf={({ id }) => id}
      empty={isSearched ? emptyOfType : messages.empty}
      reached={
        isSearched
          ? hasOlder
            ? messages.reached(moment(new Date(reachedAt)))
            : messages.reachedAll
          : undefined
      }
    />
  );
}

/** Returns a function that describes the subject of an event, such as its user and principal. */
function useEventSubject(): (event: CloudEvent) => string {
  const { about } = useEventsMessages();
  const { operation, fields } = useResultMessages();
  const { number } = useFormats();
  const join = (...parts: readonly string[]) => parts.filter(Boolean).join(' · ');
  const labels = (changed: readonly string[]) => changed.map((field) => fields[field] ?? field).join(', ');
  const principal = ({ IRID, ExternalKey }: { IRID: number; ExternalKey: string | null }) =>
    about.principal(IRID, ExternalKey);
  return (event) => {
    switch (event.type) {
      case 'principal.inserted':
      case 'principal.deleted':
        return principal(event.data);
      case 'principal.merged':
        return [
          event.data.FromIRID === null
            ? '…'
            : about.principal(event.data.FromIRID, event.data.FromExternalKey),
          principal(event.data),
        ].join(' → ');
      case 'principal.updated':
        return join(principal(event.data), labels(event.data.Changed));
      case 'principal.state_changed':
        return join(principal(event.data), about.state[event.data.State]);
      case 'user.registered':
      case 'user.password_reset':
      case 'user.invited':
      case 'user.moved':
        return join(about.user(event.data.UserID, event.data.Username), principal(event.data));
      case 'user.deleted':
        return join(about.user(event.data.UserID, null), principal(event.data));
      case 'user.updated':
        return join(
          about.user(event.data.UserID, event.data.Username),
          principal(event.data),
          labels(event.data.Changed),
        );
      case 'user.state_changed':
        return join(about.user(event.data.UserID, event.data.Username), about.state[event.data.State]);
      case 'call.completed':
      case 'job.completed': {
        const { Operation, Records, RecordsFailed } = event.data;
        return join(operation[Operation], about.records(number(Records), number(RecordsFailed)));
      }
      case 'webhook.disabled':
        return about.webhook(event.data.WebhookID, event.data.URL);
    }
  };
}
