import { type RowFaults, sentenceOf } from '@anagrafe/client/import';
import { Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { type SentRows, useSentProgress } from '../../api/import.ts';
import { Failure } from '../../parts/failure.tsx';
import { arrive } from './arrive.ts';
import { downloadFailed } from './download.ts';
import { Outcome } from './outcome.tsx';
import type { Row } from './row.ts';
import { Running } from './running.tsx';
import { useUnsaved } from './unsaved.ts';
import type { UsersFile } from './users-file.ts';
import { useWords } from './words.ts';

interface SentProps {
  readonly file: UsersFile;
  readonly rows: readonly Row[];
  readonly sent: SentRows;
  /** What is wrong with the rows that were not sent at all. */
  readonly left: RowFaults;
  readonly onMend: (faults: RowFaults) => void;
}

/** Rows that the service has: how far it is with them; then, what became of them. */
export function Sent({ file, rows, sent, left, onMend }: SentProps) {
  const { rowFault } = useWords();
  const { data, error, refetch } = useSentProgress(sent);
  const [saved, setSaved] = useState(false);
  const refused = data?.failed;
  const failed = new Map([...left, ...(refused ?? [])]);
  useUnsaved(failed.size > 0 && !saved);

  function download(): void {
    downloadFailed(file, rows, failed, (fault) => sentenceOf({ ...fault, message: rowFault(fault) }));
    setSaved(true);
  }

  return (
    <Stack gap="lg" tabIndex={-1} ref={arrive}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && <Skeleton height={140} />}
      {data && !refused && <Running jobs={data.jobs} />}
      {refused && (
        <Outcome
          applied={sent.rows - refused.size}
          failed={failed.size}
          onMend={() => onMend(failed)}
          onDownload={download}
        />
      )}
    </Stack>
  );
}
