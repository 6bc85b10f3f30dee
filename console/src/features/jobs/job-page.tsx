import type { Job } from '@anagrafe/client';
import { Badge, Button, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useJobsMessages, useResultMessages } from '../../i18n/messages.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { LoadingOrError } from '../../ui/loading-or-error.tsx';
import { Moment } from '../../ui/moment.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { useFailedOnly, usePageNumber } from '../../ui/paged-table.tsx';
import { useSenderName } from '../clients/actor-name.ts';
import { JobProgress } from '../results/job-progress.tsx';
import { Tuples } from '../results/results-table.tsx';
import { useCancelJob, useFailedJobRecords, useJob } from './queries.ts';

const colors = { queued: 'gray', running: 'indigo', completed: 'teal', cancelled: 'gray' } as const;

export function State({ state }: { state: Job['State'] }) {
  const { states } = useJobsMessages();
  return <Badge color={colors[state]}>{states[state]}</Badge>;
}

export function Cancel({ id, onClose }: { id: string; onClose: () => void }) {
  const messages = useJobsMessages();
  const notify = useNotice();
  const { mutate, error, isPending } = useCancelJob(id);
  return (
    <Confirm
      title={messages.cancelTitle(id.slice(0, 8))}
      text={messages.cancelText}
      action={messages.cancel}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(undefined, {
          onSuccess: () => {
            notify(messages.cancelled);
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}

/** Returns the properties of a job as labelled values. */
export function useFacts(job: Job): readonly Fact[] {
  const { facts } = useJobsMessages();
  const { operation } = useResultMessages();
  const { number, rate } = useFormats();
  const sender = useSenderName();
  const moment = (at: string | null) => (at ? <Moment at={at} /> : '—');
  return [
    [facts.state, <State key="state" state={job.State} />],
    [facts.operation, operation[job.Operation]],
    [facts.client, sender(job)],
    [facts.records, number(job.Records)],
    [facts.done, number(job.RecordsDone)],
    [facts.failed, number(job.RecordsFailed)],
    [facts.users, number(job.Users)],
    [facts.usersDone, number(job.UsersDone)],
    [facts.rate, job.UsersPerSecond === null ? '—' : rate(job.UsersPerSecond)],
    [facts.submitted, moment(job.SubmittedAt)],
    [facts.started, moment(job.StartedAt)],
    job.EndedAt === null ? [facts.left, moment(job.EstimatedEnd)] : [facts.ended, moment(job.EndedAt)],
    [facts.id, job.ID],
  ];
}

/** Page of one job: progress while it is open, its properties, and the results of its records. */
export function OneJob({ id }: { id: string }) {
  const messages = useJobsMessages();
  const [place, goTo] = usePageNumber(50);
  const [failed, chooseFailed] = useFailedOnly();
  const list = useJob(id, place, failed);
  const failedRecords = useFailedJobRecords(id);
  const [cancelling, setCancelling] = useState(false);
  const job = list.data?.record;
  const actions = job && job.EndedAt === null && job.State !== 'cancelled' && (
    <Button variant="default" onClick={() => setCancelling(true)}>
      {messages.cancel}
    </Button>
  );
  return (
    <Page title={messages.one(id.slice(0, 8))} back={{ href: '/jobs', name: messages.all }} actions={actions}>
      {!job && <LoadingOrError list={list} />}
      {job && (
        <>
          <VisuallyHidden role="status">{messages.states[job.State]}</VisuallyHidden>
          {job.EndedAt === null && (
            <Surface title={messages.progress}>
              <JobProgress job={job} />
            </Surface>
          )}
          <Figures job={job} />
          <Tuples
            id={id}
            list={list}
            place={place}
            onPage={goTo}
            failed={failed}
            onFailed={chooseFailed}
            kit={job.RecordsFailed > 0 ? failedRecords : null}
          />
        </>
      )}
      {cancelling && <Cancel id={id} onClose={() => setCancelling(false)} />}
    </Page>
  );
}

function Figures({ job }: { job: Job }) {
  const { figures } = useJobsMessages();
  return (
    <Surface title={figures}>
      <Facts facts={useFacts(job)} />
    </Surface>
  );
}
