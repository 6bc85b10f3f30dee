import type { Job } from '@anagrafe/client';
import { Anchor, Progress, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useJobsMessages, useResultMessages } from '../../i18n/messages.ts';
import { Moment } from '../../ui/moment.tsx';
import { Page, TableFrame } from '../../ui/page.tsx';
import { FailedOnly, PagedTable, useFailedOnly, usePageNumber } from '../../ui/paged-table.tsx';
import { type Column, Empty } from '../../ui/table.tsx';
import { useSenderName } from '../clients/actor-name.ts';
import { useProgress } from '../results/job-progress.tsx';
import { OneJob, State } from './job-page.tsx';
import { useJobs } from './queries.ts';

/** Columns of the jobs table. */
export function useColumns(): readonly Column<Job>[] {
  const { columns } = useJobsMessages();
  const { operation } = useResultMessages();
  const { number } = useFormats();
  const sender = useSenderName();
  return [
    {
      name: columns.job,
      cell: ({ ID, Operation }) => (
        <Anchor component={Link} href={`/jobs/${ID}`} size="sm" fw={600}>
          {operation[Operation]} · {ID.slice(0, 8)}
        </Anchor>
      ),
    },
    { name: columns.client, wide: true, cell: sender },
    { name: columns.state, cell: ({ State: state }) => <State state={state} /> },
    { name: columns.progress, wide: true, cell: (job) => <Bar job={job} /> },
    {
      name: columns.failed,
      wide: true,
      numeric: true,
      cell: ({ RecordsFailed }) => (
        <Text span size="sm" {...(RecordsFailed > 0 && { c: 'var(--mantine-color-error)', fw: 600 })}>
          {number(RecordsFailed)}
        </Text>
      ),
    },
    { name: columns.submitted, cell: ({ SubmittedAt }) => <Moment at={SubmittedAt} /> },
    { name: columns.ended, wide: true, cell: ({ EndedAt }) => (EndedAt ? <Moment at={EndedAt} /> : '—') },
  ];
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

/** `/console/jobs`: the list of jobs. `/console/jobs/:id`: one job. */
export function Jobs() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneJob id={id} /> : <AllJobs />;
}

function AllJobs() {
  const messages = useJobsMessages();
  const [place, goTo] = usePageNumber();
  const [failed, chooseFailed] = useFailedOnly();
  const list = useJobs(place, failed);
  const { title, hint } = failed ? messages.emptyFailed : messages.empty;
  const filter = <FailedOnly label={messages.failedOnly} failed={failed} onFailed={chooseFailed} />;
  return (
    <Page title={messages.title} intro={messages.intro} actions={filter}>
      <TableFrame>
        <PagedTable
          caption={messages.caption}
          columns={useColumns()}
          list={list}
          place={place}
          onPage={goTo}
          keyOf={({ ID }) => ID}
          empty={<Empty title={title} hint={hint} />}
        />
      </TableFrame>
    </Page>
  );
}
