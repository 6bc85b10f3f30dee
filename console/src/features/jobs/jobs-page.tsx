import type { Job, Operation } from '@anagrafe/client';
import { Badge, Button, Progress, Text, VisuallyHidden } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import {
  useInvitationsMessages,
  useJobsMessages,
  useMailsMessages,
  useResultMessages,
} from '../../i18n/language.tsx';
import { DetailPage, type Fact } from '../../ui/detail-page.tsx';
import { ConfirmDialog, useDialog, useFinish } from '../../ui/dialog.tsx';
import { FailedOnly, useFailedOnly } from '../../ui/filters.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Surface } from '../../ui/page.tsx';
import { CellLink, type Column } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useSenderName } from '../clients/queries.ts';
import { IssueCodes } from '../invitations/issue-codes.tsx';
import { JobProgress, useProgress } from '../results/job-progress.tsx';
import { FailedCount, Results } from '../results/results-table.tsx';
import { useMay } from '../session/session.ts';
import { useCancelJob, useFailedJobRecords, useJob, useJobs } from './queries.ts';

/** `/console/jobs`: the list of jobs. `/console/jobs/:id`: one job. */
export function Jobs() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneJob id={id} /> : <AllJobs />;
}

function AllJobs() {
  const messages = useJobsMessages();
  const { columns: names } = messages;
  const { operation } = useResultMessages();
  const sender = useSenderName();
  const [failed] = useFailedOnly();
  const columns: readonly Column<Job>[] = [
    {
      name: names.job,
      card: 'title',
      cell: ({ ID, Operation }) => (
        <CellLink href={`/jobs/${ID}`} isName>
          {operation[Operation]} · {ID.slice(0, 8)}
        </CellLink>
      ),
    },
    { name: names.client, cell: sender },
    { name: names.state, cell: (job) => <State job={job} /> },
    { name: names.progress, card: 'full', cell: (job) => <Bar job={job} /> },
    {
      name: names.failed,
      numeric: true,
      // Cancelled records count as failed; the progress shows both.
      cell: (job) => (job.State === 'cancelled' ? '—' : <FailedCount of={job} />),
    },
    { name: names.submitted, cell: ({ SubmittedAt }) => <Moment at={SubmittedAt} /> },
    { name: names.ended, card: 'none', cell: ({ EndedAt }) => (EndedAt ? <Moment at={EndedAt} /> : '—') },
  ];
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={<FailedOnly label={messages.failedOnly} />}
      caption={messages.caption}
      columns={columns}
      list={useJobs(failed)}
      keyOf={({ ID }) => ID}
      empty={failed ? messages.emptyFailed : messages.empty}
    />
  );
}

const colors = { queued: 'gray', running: 'indigo', completed: 'teal', cancelled: 'gray' } as const;

function State({ job: { State: state } }: { job: Job }) {
  const { states } = useJobsMessages();
  return <Badge color={colors[state]}>{states[state]}</Badge>;
}

function Bar({ job }: { job: Job }) {
  const { operation } = useResultMessages();
  const { share, sentence } = useProgress(job);
  return (
    <>
      <Text size="xs" c="dimmed" mb={4}>
        {sentence}
      </Text>
      <Progress
        value={share * 100}
        animated={job.State === 'running'}
        aria-label={`${operation[job.Operation]} · ${job.ID.slice(0, 8)}: ${sentence}`}
      />
    </>
  );
}

/** The operations whose users may have `Invite: "code"`. */
const invitingOperations: readonly Operation[] = ['invite', 'update', 'insert', 'upsert'];

function OneJob({ id }: { id: string }) {
  const messages = useJobsMessages();
  const [failed] = useFailedOnly();
  const list = useJob(id, failed);
  const failedRecords = useFailedJobRecords(id);
  const [dialog, open] = useDialog();
  const may = useMay();
  const job = list.data?.record;
  const factsOf = useFacts();
  const { job: codes } = useInvitationsMessages();
  const mails = useMailsMessages();
  return (
    <DetailPage
      title={messages.one(id.slice(0, 8))}
      back={{ href: '/jobs', name: messages.all }}
      actions={
        job?.EndedAt === null
          ? job.State !== 'cancelled' &&
            may('jobs.write') && (
              <Button variant="default" onClick={() => open((close) => <Cancel id={id} onClose={close} />)}>
                {messages.cancel}
              </Button>
            )
          : job &&
            invitingOperations.includes(job.Operation) && (
              <>
                <Button component={Link} href={`/mails?call=${id}`} variant="default">
                  {mails.show}
                </Button>
                <Button
                  variant="default"
                  onClick={() => open((close) => <IssueCodes jobIds={[id]} onClose={close} />)}
                >
                  {codes.action}
                </Button>
              </>
            )
      }
      query={list}
      notice={
        job && (
          <>
            <VisuallyHidden role="status">{messages.states[job.State]}</VisuallyHidden>
            {job.EndedAt === null && (
              <Surface title={messages.progress}>
                <JobProgress job={job} />
              </Surface>
            )}
          </>
        )
      }
      factsTitle={messages.figures}
      expectedFacts={13}
      facts={job && factsOf(job)}
    >
      <Results id={id} list={list} failedRecords={job && job.RecordsFailed > 0 ? failedRecords : null} />
      {dialog}
    </DetailPage>
  );
}

function useFacts(): (job: Job) => readonly (Fact | false)[] {
  const { facts } = useJobsMessages();
  const { operation } = useResultMessages();
  const { number, rate } = useFormats();
  const sender = useSenderName();
  const moment = (at: string | null) => (at ? <Moment at={at} /> : '—');
  return (job) => [
    [facts.state, <State key="state" job={job} />],
    [facts.operation, operation[job.Operation]],
    [facts.client, sender(job)],
    [facts.records, number(job.Records)],
    [facts.applied, number(job.RecordsDone - job.RecordsFailed)],
    job.State === 'cancelled'
      ? [facts.cancelledOrFailed, number(job.Records - job.RecordsDone + job.RecordsFailed)]
      : [facts.failed, number(job.RecordsFailed)],
    [facts.users, number(job.Users)],
    // The users of cancelled records count as processed.
    job.State !== 'cancelled' && [facts.usersDone, number(job.UsersDone)],
    [facts.rate, job.UsersPerSecond === null ? '—' : rate(job.UsersPerSecond)],
    [facts.submitted, moment(job.SubmittedAt)],
    [facts.started, moment(job.StartedAt)],
    job.EndedAt === null ? [facts.left, moment(job.EstimatedEnd)] : [facts.ended, moment(job.EndedAt)],
    [facts.id, job.ID],
  ];
}

function Cancel({ id, onClose }: { id: string; onClose: () => void }) {
  const messages = useJobsMessages();
  const finish = useFinish(onClose);
  const request = useCancelJob(id);
  return (
    <ConfirmDialog
      title={messages.cancelTitle(id.slice(0, 8))}
      text={messages.cancelText}
      action={messages.cancel}
      cancel={messages.keepRunning}
      request={request}
      onConfirm={() => request.mutate(undefined, { onSuccess: () => finish(messages.cancelled) })}
      onClose={onClose}
    />
  );
}
