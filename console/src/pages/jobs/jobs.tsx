import type { Job } from '@anagrafe/client';
import { Anchor, Progress, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { useJobs } from '../../api/jobs.ts';
import { usePlace } from '../../api/paged.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useProgress } from '../../parts/outcome/progress.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import { Page } from '../../parts/page.tsx';
import { PagedTable } from '../../parts/paged-table.tsx';
import { Paper } from '../../parts/paper.tsx';
import type { Column } from '../../parts/table.tsx';
import { OneJob } from './one-job.tsx';
import { State } from './state.tsx';
import { useWords } from './words.ts';

/** `/console/jobs`: what was sent to be done later; below it, one of them. */
export function Jobs() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneJob id={id} /> : <AllJobs />;
}

function AllJobs() {
  const words = useWords();
  const { operation } = useOutcomeWords();
  const { number } = useFormats();
  const [place, goTo] = usePlace();
  const list = useJobs(place);
  const { columns } = words;
  const shown: readonly Column<Job>[] = [
    {
      name: columns.job,
      cell: ({ ID, Operation }) => (
        <Anchor component={Link} href={`/jobs/${ID}`} size="sm" fw={600}>
          {operation[Operation]} · {ID.slice(0, 8)}
        </Anchor>
      ),
    },
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
  return (
    <Page title={words.title} intro={words.intro}>
      <Paper>
        <PagedTable
          caption={words.caption}
          columns={shown}
          list={list}
          place={place}
          onPage={goTo}
          keyOf={({ ID }) => ID}
          empty={<Empty title={words.empty.title} hint={words.empty.hint} />}
        />
      </Paper>
    </Page>
  );
}

function Bar({ job }: { job: Job }) {
  const { operation } = useOutcomeWords();
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
