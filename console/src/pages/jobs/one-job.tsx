import type { Job } from '@anagrafe/client';
import { Button, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useFailedOnly } from '../../api/failed-only.ts';
import { useJob, useJobKit } from '../../api/jobs.ts';
import { usePlace } from '../../api/paged.ts';
import { Facts } from '../../parts/facts.tsx';
import { OnItsWay } from '../../parts/on-its-way.tsx';
import { JobProgress } from '../../parts/outcome/progress.tsx';
import { Tuples } from '../../parts/outcome/tuples.tsx';
import { Page } from '../../parts/page.tsx';
import { Surface } from '../../parts/surface.tsx';
import { Cancel } from './cancel.tsx';
import { useFacts } from './facts.tsx';
import { useWords } from './words.ts';

/** A job from its beginning to its end, and what became of its records. */
export function OneJob({ id }: { id: string }) {
  const words = useWords();
  const [place, goTo] = usePlace(50);
  const [failed, chooseFailed] = useFailedOnly();
  const list = useJob(id, place, failed);
  const kit = useJobKit(id);
  const [cancelling, setCancelling] = useState(false);
  const job = list.data?.record;
  const actions = job && job.EndedAt === null && job.State !== 'cancelled' && (
    <Button variant="default" onClick={() => setCancelling(true)}>
      {words.cancel}
    </Button>
  );
  return (
    <Page title={words.one(id.slice(0, 8))} back={{ href: '/jobs', name: words.all }} actions={actions}>
      {!job && <OnItsWay list={list} />}
      {job && (
        <>
          <VisuallyHidden role="status">{words.states[job.State]}</VisuallyHidden>
          {job.EndedAt === null && (
            <Surface title={words.progress}>
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
            kit={job.RecordsFailed > 0 ? kit : null}
          />
        </>
      )}
      {cancelling && <Cancel id={id} onClose={() => setCancelling(false)} />}
    </Page>
  );
}

function Figures({ job }: { job: Job }) {
  const { figures } = useWords();
  return (
    <Surface title={figures}>
      <Facts facts={useFacts(job)} />
    </Surface>
  );
}
