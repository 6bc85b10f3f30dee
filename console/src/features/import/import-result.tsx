import type { Job } from '@anagrafe/client';
import { FailedRows, formatRowError, type RowError, type RowErrors } from '@anagrafe/importer';
import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { createContext, useContext, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages, useResultMessages } from '../../i18n/language.tsx';
import { saveFile } from '../../ui/copy.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Surface } from '../../ui/page.tsx';
import { JobProgress } from '../results/job-progress.tsx';
import { type SentRows, useSentProgress } from './send-rows.ts';
import type { Row, UsersFile } from './users-file.ts';

/** Setter of the import page: true while closing the file would lose data. */
export const Unsaved = createContext<(unsaved: boolean) => void>(() => {});

/** While `unsaved` is true, the import page and the browser ask for confirmation before they discard the file. */
export function useUnsaved(unsaved: boolean): void {
  const setUnsaved = useContext(Unsaved);
  useEffect(() => {
    if (!unsaved) return;
    const confirmUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', confirmUnload);
    setUnsaved(true);
    return () => {
      window.removeEventListener('beforeunload', confirmUnload);
      setUnsaved(false);
    };
  }, [unsaved, setUnsaved]);
}

/** Saves the failed rows in their current state, with their errors: as CSV if the file was CSV, otherwise as NDJSON. */
function downloadFailed(
  { name, layout }: UsersFile,
  rows: readonly Row[],
  errors: RowErrors,
  describe: (error: RowError) => string,
): void {
  const writer = new FailedRows(layout);
  const failed = rows.filter((row) => errors.has(row.number));
  const text = failed.map((row) => writer.row(row, (errors.get(row.number) ?? []).map(describe)));
  const extension = layout.format === 'csv' ? 'csv' : 'ndjson';
  saveFile(`${name.replace(/\.[^.]*$/, '')}-failed.${extension}`, [writer.head, ...text]);
}

function Running({ jobs }: { jobs: readonly Job[] }) {
  const { progress } = useImportMessages();
  const { operation } = useResultMessages();
  return (
    <Surface title={progress.title}>
      <Stack gap="lg">
        {jobs.map((job) => (
          <JobProgress
            key={job.ID}
            job={job}
            name={
              <Text size="sm" fw={600}>
                {operation[job.Operation]}
              </Text>
            }
          />
        ))}
        <Text>
          {progress.safe}{' '}
          <Anchor component={Link} href="/jobs" underline="always">
            {progress.jobs}
          </Anchor>
        </Text>
      </Stack>
    </Surface>
  );
}

interface OutcomeProps {
  readonly applied: number;
  readonly failed: number;
  readonly onCorrect: () => void;
  readonly onDownload: () => void;
}

function Outcome({ applied, failed, onCorrect, onDownload }: OutcomeProps) {
  const { outcome } = useImportMessages();
  const { number } = useFormats();
  return (
    <Surface title={outcome.title}>
      <Stack>
        <Text role="status">
          {outcome.applied(number(applied))} {failed > 0 && outcome.failed(number(failed))}
        </Text>
        {failed > 0 && (
          <Group>
            <Button onClick={onCorrect}>{outcome.correct}</Button>
            <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={onDownload}>
              {outcome.download}
            </Button>
          </Group>
        )}
      </Stack>
    </Surface>
  );
}

interface SentProps {
  readonly file: UsersFile;
  readonly rows: readonly Row[];
  readonly sent: SentRows;
  /** Errors of the rows that were not sent because they failed the check. */
  readonly left: RowErrors;
  readonly onCorrect: (errors: RowErrors) => void;
}

export function Sent({ file, rows, sent, left, onCorrect }: SentProps) {
  const { rowError } = useImportMessages();
  const { data, error, refetch } = useSentProgress(sent);
  const [saved, setSaved] = useState(false);
  const rejected = data?.errors;
  const failed = new Map([...left, ...(rejected ?? [])]);
  useUnsaved(failed.size > 0 && !saved);

  function download(): void {
    downloadFailed(file, rows, failed, (error) => formatRowError({ ...error, message: rowError(error) }));
    setSaved(true);
  }

  return (
    <Stack gap="lg" tabIndex={-1} ref={focusOnMount}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && <Skeleton height={140} />}
      {data && !rejected && <Running jobs={data.jobs} />}
      {rejected && (
        <Outcome
          applied={sent.rows - rejected.size}
          failed={failed.size}
          onCorrect={() => onCorrect(failed)}
          onDownload={download}
        />
      )}
    </Stack>
  );
}
