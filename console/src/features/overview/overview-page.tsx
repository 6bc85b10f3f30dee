import type { Hashing as HashingFigures, Statistics } from '@anagrafe/client';
import { Anchor, Grid, Group, Paper, Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useCommonMessages, useOverviewMessages, useResultMessages } from '../../i18n/messages.ts';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { Empty } from '../../ui/table.tsx';
import { useOpenJobs } from '../jobs/queries.ts';
import { JobProgress } from '../results/job-progress.tsx';
import { Activity } from './activity.tsx';
import { Failures } from './failed-records.tsx';
import { NextSteps } from './next-steps.tsx';
import { useStatistics } from './queries.ts';

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly note?: string | false;
}

/** The totals of the service, with the additions of today. */
export function Figures({ statistics }: { statistics: Statistics }) {
  const { figures } = useOverviewMessages();
  const { number } = useFormats();
  const today = statistics.Days.at(-1);
  const added = (count = 0) => count > 0 && figures.today(`+${number(count)}`);
  const { JobsRunning, JobsQueued } = statistics;
  const all: readonly Figure[] = [
    { name: figures.users, value: statistics.Users, note: added(today?.UsersRegistered) },
    { name: figures.principals, value: statistics.Principals, note: added(today?.PrincipalsInserted) },
    { name: figures.sessions, value: statistics.Sessions },
    {
      name: figures.jobs,
      value: JobsRunning + JobsQueued,
      note: JobsQueued > 0 && figures.queued(number(JobsQueued)),
    },
  ];
  return (
    <SimpleGrid component="section" aria-label={figures.label} cols={{ base: 2, md: 4 }} spacing="lg">
      {all.map(({ name, value, note }) => (
        <Paper key={name} withBorder p="lg">
          <Text size="sm" c="dimmed" fw={500}>
            {name}
          </Text>
          <Text fz={30} fw={650} lh={1.2} mt={4} style={{ fontVariantNumeric: 'tabular-nums' }}>
            {number(value)}
          </Text>
          <Text size="xs" c="dimmed" mih={18}>
            {note}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

/** The load of the password hash pool of this node, the slowest part of the service, and its queue lengths. */
export function Hashing({ hashing }: { hashing: HashingFigures }) {
  const { hashing: messages } = useOverviewMessages();
  const { rate, number, percent } = useFormats();
  const { HashesPerSecond, Capacity } = hashing;
  const share = Capacity > 0 ? Math.min(1, HashesPerSecond / Capacity) : 0;
  const queues: readonly [string, number][] = [
    [messages.running, hashing.Running],
    [messages.interactive, hashing.WaitingInteractive],
    [messages.bulk, hashing.WaitingBulk],
  ];
  return (
    <Surface title={messages.title}>
      <Group justify="space-between" mb={6}>
        <Text size="sm">{messages.rate(rate(HashesPerSecond), rate(Capacity))}</Text>
        <Text size="sm" fw={600}>
          {percent(share)}
        </Text>
      </Group>
      <Progress
        value={share * 100}
        size="lg"
        aria-label={messages.bar}
        color={share > 0.9 ? 'orange.7' : 'indigo'}
      />
      <Stack gap={8} mt="lg" component="dl" mb="md">
        {queues.map(([name, value]) => (
          <Group key={name} justify="space-between" wrap="nowrap">
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="sm" fw={600}>
              {number(value)}
            </Text>
          </Group>
        ))}
      </Stack>
      <Text size="xs" c="dimmed">
        {messages.node}
      </Text>
    </Surface>
  );
}

const maxJobs = 5;

/** The queued and running jobs, with their progress. */
export function OpenJobs() {
  const { jobs } = useOverviewMessages();
  const { operation } = useResultMessages();
  const { number } = useFormats();
  const { data, error, refetch } = useOpenJobs(maxJobs);
  const others = data ? data.totalCount - data.records.length : 0;
  return (
    <Surface title={jobs.title}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={60} />}
      {data?.totalCount === 0 && <Empty title={jobs.none} hint={jobs.noneHint} />}
      <Stack gap="lg">
        {data?.records.map((job) => (
          <JobProgress
            key={job.ID}
            job={job}
            name={
              <Anchor component={Link} href={`/jobs/${job.ID}`} fw={600} size="sm">
                {operation[job.Operation]}
              </Anchor>
            }
          />
        ))}
        {others > 0 && (
          <Anchor component={Link} href="/jobs" size="sm">
            {jobs.more(number(others))}
          </Anchor>
        )}
      </Stack>
    </Surface>
  );
}

/** The start page, `/console`: totals, activity, open jobs and failed records. */
export function Overview() {
  const messages = useOverviewMessages();
  const { table } = useCommonMessages();
  const { data, error, refetch } = useStatistics();
  const isNew = data?.Principals === 0 && data.Users === 0;
  return (
    <Page title={messages.title} intro={messages.intro}>
      {error && <Failure error={error} title={table.failed} onRetry={refetch} />}
      {!data && !error && <Skeleton height={110} />}
      {data && (
        <>
          <Figures statistics={data} />
          {isNew ? <NextSteps /> : <Activity hours={data.Hours} days={data.Days} />}
        </>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <OpenJobs />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>{data && <Hashing hashing={data.Hashing} />}</Grid.Col>
      </Grid>
      <Failures />
    </Page>
  );
}
