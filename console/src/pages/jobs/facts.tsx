import type { Job } from '@anagrafe/client';
import { useFormats } from '../../language/formats.ts';
import { useSender } from '../../parts/author/author.ts';
import type { Fact } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import { State } from './state.tsx';
import { useWords } from './words.ts';

/** What is known of a job, in figures. */
export function useFacts(job: Job): readonly Fact[] {
  const { facts } = useWords();
  const { operation } = useOutcomeWords();
  const { number, rate } = useFormats();
  const sender = useSender();
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
