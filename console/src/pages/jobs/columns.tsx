import type { Job } from '@anagrafe/client';
import { Anchor, Progress, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.ts';
import { useSender } from '../../parts/author/author.ts';
import { Moment } from '../../parts/moment.tsx';
import { useProgress } from '../../parts/outcome/progress.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import type { Column } from '../../parts/table.tsx';
import { State } from './state.tsx';
import { useWords } from './words.ts';

/** What the list shows of a job. */
export function useColumns(): readonly Column<Job>[] {
  const { columns } = useWords();
  const { operation } = useOutcomeWords();
  const { number } = useFormats();
  const sender = useSender();
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
