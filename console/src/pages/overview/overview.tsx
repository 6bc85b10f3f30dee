import { Grid, Skeleton } from '@mantine/core';
import { useStatistics } from '../../api/statistics.ts';
import { useWords as useCommonWords } from '../../language/words.ts';
import { Failure } from '../../parts/failure.tsx';
import { Page } from '../../parts/page.tsx';
import { Activity } from './activity.tsx';
import { Failures } from './failures.tsx';
import { Figures } from './figures.tsx';
import { Hashing } from './hashing.tsx';
import { NextSteps } from './next-steps.tsx';
import { OpenJobs } from './open-jobs.tsx';
import { useWords } from './words.ts';

/** `/console`: how the service is doing. */
export function Overview() {
  const words = useWords();
  const { table } = useCommonWords();
  const { data, error, refetch } = useStatistics();
  const isNew = data?.Principals === 0 && data.Users === 0;
  return (
    <Page title={words.title} intro={words.intro}>
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
