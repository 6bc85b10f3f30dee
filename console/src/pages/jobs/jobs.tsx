import { useParams } from 'wouter';
import { useFailedOnly } from '../../api/failed-only.ts';
import { useJobs } from '../../api/jobs.ts';
import { usePlace } from '../../api/paged.ts';
import { Empty } from '../../parts/empty.tsx';
import { FailedOnly } from '../../parts/failed-only.tsx';
import { Page } from '../../parts/page.tsx';
import { PagedTable } from '../../parts/paged-table.tsx';
import { Paper } from '../../parts/paper.tsx';
import { useColumns } from './columns.tsx';
import { OneJob } from './one-job.tsx';
import { useWords } from './words.ts';

/** `/console/jobs`: what was sent to be done later; below it, one of them. */
export function Jobs() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneJob id={id} /> : <AllJobs />;
}

function AllJobs() {
  const words = useWords();
  const [place, goTo] = usePlace();
  const [failed, chooseFailed] = useFailedOnly();
  const list = useJobs(place, failed);
  const { title, hint } = failed ? words.emptyFailed : words.empty;
  const filter = <FailedOnly label={words.failedOnly} failed={failed} onFailed={chooseFailed} />;
  return (
    <Page title={words.title} intro={words.intro} actions={filter}>
      <Paper>
        <PagedTable
          caption={words.caption}
          columns={useColumns()}
          list={list}
          place={place}
          onPage={goTo}
          keyOf={({ ID }) => ID}
          empty={<Empty title={title} hint={hint} />}
        />
      </Paper>
    </Page>
  );
}
