import { useParams } from 'wouter';
import { useCalls } from '../../api/calls.ts';
import { useFailedOnly } from '../../api/failed-only.ts';
import { usePlace } from '../../api/paged.ts';
import { Empty } from '../../parts/empty.tsx';
import { FailedOnly } from '../../parts/failed-only.tsx';
import { Page } from '../../parts/page.tsx';
import { PagedTable } from '../../parts/paged-table.tsx';
import { Paper } from '../../parts/paper.tsx';
import { useColumns } from './columns.tsx';
import { OneCall } from './one-call.tsx';
import { useWords } from './words.ts';

/** `/console/calls`: what was answered at once; below it, one of them. */
export function Calls() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneCall id={id} /> : <AllCalls />;
}

function AllCalls() {
  const words = useWords();
  const [place, goTo] = usePlace();
  const [failed, chooseFailed] = useFailedOnly();
  const list = useCalls(place, failed);
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
          keyOf={({ CallID, At, RequestId }) => CallID ?? `${At} ${RequestId}`}
          empty={<Empty title={title} hint={hint} />}
        />
      </Paper>
    </Page>
  );
}
