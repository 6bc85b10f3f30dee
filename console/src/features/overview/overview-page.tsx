import type { Hashing as HashingFigures, Job, Page as PageOf, Statistics } from '@anagrafe/client';
import { Anchor, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, memo, type ReactNode, Suspense, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useCommonMessages, useOverviewMessages, useResultMessages } from '../../i18n/language.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { CellLink, Empty, Note } from '../../ui/table.tsx';
import { usePollInterval } from '../../ui/time.tsx';
import { useOpenJobs } from '../jobs/queries.ts';
import { JobProgress } from '../results/job-progress.tsx';
import { useAnagrafe } from '../session/api-client.ts';
import { useMay } from '../session/session.ts';
import { Activity } from './activity.tsx';
import { addedToday } from './chart-data.ts';
import { Failures, useFailures } from './failed-records.tsx';
import classes from './overview.module.css';

const NextSteps = lazy(async () => ({ default: (await import('./next-steps.tsx')).NextSteps }));
const maxJobs = 5;

/**
 * The start page, `/console`: totals, activity, open jobs and failed records. The sections below the activity are shown
 * when their height is known, so that nothing moves while the page loads.
 */
export function Overview() {
  const messages = useOverviewMessages();
  const { table } = useCommonMessages();
  // Deferred data is rendered in slices of a few milliseconds, so that the many elements of the page do not block input.
  // Statistics are about the whole service, so that a limited operator has none.
  const hasStatistics = useMay()('service.read');
  const { data, error, refetch } = useDeferredValue(useStatistics(hasStatistics));
  const jobs = useDeferredValue(useOpenJobs(maxJobs));
  const failures = useDeferredValue(useFailures());
  const isNew = data?.Principals === 0 && data.Users === 0;
  const isReady = (data || error || !hasStatistics) && (jobs.data || jobs.error);
  const frame = <ActivityFrame />;
  return (
    <Page title={messages.title} intro={messages.intro}>
      {error && <Failure error={error} title={table.failed} onRetry={refetch} />}
      {hasStatistics && !(error && !data) && <Figures statistics={data} />}
      {hasStatistics && !data && !error && frame}
      {isNew && (
        <Suspense fallback={frame}>
          <NextSteps placeholder={frame} />
        </Suspense>
      )}
      {data && !isNew && <Activity Hours={data.Hours} Days={data.Days} />}
      {isReady && (
        <>
          <div className={classes.row}>
            <OpenJobs page={jobs.data}>
              {jobs.error && <Failure error={jobs.error} onRetry={jobs.refetch} />}
            </OpenJobs>
            {data && <Hashing hashing={data.Hashing} />}
          </div>
          <Failures list={failures} />
        </>
      )}
    </Page>
  );
}

/**
 * Reads the totals, the activity of the last 24 hours and 30 days, and the load of the hash pool; polls while the user
 * is active.
 */
function useStatistics(enabled: boolean) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: ['statistics'],
    enabled,
    queryFn: ({ signal }) => anagrafe.admin.statistics({ signal }),
    refetchInterval: usePollInterval(5_000),
  });
}

function ActivityFrame() {
  const { activity } = useOverviewMessages();
  const { loading } = useCommonMessages();
  return (
    <Surface title={activity.title}>
      <div className={classes.charts} role="status" aria-label={loading}>
        <Skeleton className={classes.chart ?? ''} />
        <Skeleton className={classes.chart ?? ''} />
        <Skeleton className={classes.chart ?? ''} />
      </div>
    </Surface>
  );
}

const Figures = memo(function Figures({ statistics }: { statistics: Statistics | undefined }) {
  const { figures } = useOverviewMessages();
  const { number } = useFormats();
  const added = (name: 'UsersRegistered' | 'PrincipalsInserted') => {
    const count = statistics ? addedToday(statistics.Hours, name, new Date()) : 0;
    return count > 0 && figures.today(`+${number(count)}`);
  };
  const queued = statistics?.JobsQueued ?? 0;
  const all: readonly (readonly [name: string, value: number | undefined, note?: string | false])[] = [
    [figures.users, statistics?.Users, added('UsersRegistered')],
    [figures.principals, statistics?.Principals, added('PrincipalsInserted')],
    [figures.sessions, statistics?.Sessions],
    [
      figures.jobs,
      statistics && statistics.JobsRunning + queued,
      queued > 0 && figures.queued(number(queued)),
    ],
  ];
  return (
    <section aria-label={figures.label}>
      <dl className={classes.figures} style={{ margin: 0 }}>
        {all.map(([name, value, note]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === undefined ? <Skeleton height={24} width="60%" /> : number(value)}</dd>
            <dd>{note}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
});

/** The load of the password hash pool of this node, the slowest part of the service, and its queue lengths. */
const Hashing = memo(function Hashing({ hashing }: { hashing: HashingFigures }) {
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
      <Note>{messages.node}</Note>
    </Surface>
  );
});

function OpenJobs({ page, children }: { page: PageOf<Job, unknown> | undefined; children: ReactNode }) {
  const { jobs } = useOverviewMessages();
  const { operation } = useResultMessages();
  const { number } = useFormats();
  const others = page ? page.totalCount - page.records.length : 0;
  return (
    <Surface title={jobs.title}>
      {children}
      {page?.totalCount === 0 && <Empty title={jobs.none} hint={jobs.noneHint} />}
      <Stack gap="lg">
        {page?.records.map((job) => (
          <JobProgress
            key={job.ID}
            job={job}
            name={
              <CellLink href={`/jobs/${job.ID}`} isName>
                {operation[job.Operation]}
              </CellLink>
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
