import type { Run, RunCall } from '@anagrafe/client';
import { Badge, Group } from '@mantine/core';
import { useParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useResultMessages, useRunsMessages } from '../../i18n/language.tsx';
import { DetailPage } from '../../ui/detail-page.tsx';
import { ListPage, ListSection } from '../../ui/list-page.tsx';
import { CellLink, type Column } from '../../ui/table.tsx';
import { Moment, useNow } from '../../ui/time.tsx';
import { useSenderName } from '../clients/queries.ts';
import { FailedCount } from '../results/results-table.tsx';
import { useRun, useRuns } from './queries.ts';
import { Undo } from './undo.tsx';

/** `/console/runs`: the imports and synchronisations of all clients. `/console/runs/:id`: one of them, and its undo. */
export function Runs() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneRun key={id} id={id} /> : <AllRuns />;
}

function AllRuns() {
  const messages = useRunsMessages();
  const { columns: names } = messages;
  const { number } = useFormats();
  const sender = useSenderName();
  const columns: readonly Column<Run>[] = [
    {
      name: names.run,
      card: 'title',
      cell: (run) => (
        <Group gap="xs">
          <CellLink href={`/runs/${run.ID}`} isName>
            {messages.one(run.ID.slice(0, 8))}
          </CellLink>
          <State run={run} />
        </Group>
      ),
    },
    { name: names.started, cell: ({ StartedAt }) => <Moment at={StartedAt} /> },
    { name: names.client, cell: sender },
    { name: names.calls, card: 'none', numeric: true, cell: ({ Calls }) => number(Calls) },
    { name: names.records, numeric: true, cell: ({ Records }) => number(Records) },
    { name: names.users, numeric: true, cell: ({ Users }) => number(Users) },
    { name: names.failed, numeric: true, cell: (run) => <FailedCount of={run} /> },
  ];
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      caption={messages.title}
      columns={columns}
      list={useRuns()}
      keyOf={({ ID }) => ID}
      empty={messages.empty}
    />
  );
}

function State({ run: { EndedAt, UndoneAt, UndoneBy } }: { run: Run }) {
  const { states } = useRunsMessages();
  if (UndoneAt !== null) return <Badge color="gray">{states.undone(UndoneBy)}</Badge>;
  return EndedAt === null ? <Badge color="indigo">{states.running}</Badge> : null;
}

function OneRun({ id }: { id: string }) {
  const messages = useRunsMessages();
  const { facts, columns: names } = messages;
  const { operation } = useResultMessages();
  const { number } = useFormats();
  const sender = useSenderName();
  const now = useNow();
  const list = useRun(id);
  const run = list.data?.record;
  const columns: readonly Column<RunCall>[] = [
    {
      name: names.call,
      card: 'title',
      cell: ({ CallID, JobID, Operation }) => (
        <CellLink href={JobID === null ? `/calls/${CallID}` : `/jobs/${JobID}`} isName>
          {operation[Operation]} · {CallID.slice(0, 8)}
        </CellLink>
      ),
    },
    { name: names.started, cell: ({ SubmittedAt }) => <Moment at={SubmittedAt} /> },
    {
      name: names.ended,
      cell: ({ EndedAt }) => (EndedAt ? <Moment at={EndedAt} /> : messages.states.running),
    },
    { name: names.records, numeric: true, cell: ({ Records }) => number(Records) },
    { name: names.users, numeric: true, cell: ({ Users }) => number(Users) },
    { name: names.failed, numeric: true, cell: (call) => <FailedCount of={call} /> },
  ];
  return (
    <DetailPage
      title={messages.one(id.slice(0, 8))}
      back={{ href: '/runs', name: messages.all }}
      query={list}
      factsTitle={facts.title}
      expectedFacts={9}
      facts={
        run && [
          [facts.started, <Moment key="started" at={run.StartedAt} />],
          [facts.ended, run.EndedAt ? <Moment key="ended" at={run.EndedAt} /> : messages.states.running],
          [facts.client, sender(run)],
          [facts.records, number(run.Records)],
          [facts.users, number(run.Users)],
          [facts.failed, number(run.RecordsFailed)],
          [facts.undoable, <Moment key="undoable" at={run.UndoableUntil} />],
          run.UndoneAt !== null && [facts.undone, <Moment key="undone" at={run.UndoneAt} />],
          run.UndoneBy !== null && [facts.undoneBy, run.UndoneBy],
          [facts.id, run.ID],
        ]
      }
    >
      {run && <Undo run={run} isPossible={run.EndedAt !== null && new Date(run.UndoableUntil) > now} />}
      <ListSection
        title={messages.calls}
        caption={messages.calls}
        columns={columns}
        list={list}
        keyOf={({ CallID }) => CallID}
        empty={messages.empty}
      />
    </DetailPage>
  );
}
