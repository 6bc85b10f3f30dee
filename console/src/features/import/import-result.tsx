import type { Job } from '@anagrafe/client';
import {
  byteOrderMark,
  csvLine,
  FailedRows,
  failedWorkbook,
  formatRowError,
  passwordColumns,
  passwordLines,
  type RowError,
  type RowErrors,
} from '@anagrafe/importer';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages, useResultMessages, useSyncMessages } from '../../i18n/language.tsx';
import { saveFile } from '../../ui/copy.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { Icon } from '../../ui/icon.tsx';
import { Surface } from '../../ui/page.tsx';
import { SaveOnce } from '../../ui/save-once.tsx';
import { Invited } from '../invitations/invited.tsx';
import { JobProgress } from '../results/job-progress.tsx';
import type { SentRows } from './send-rows.ts';
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

/** Saves the failed rows in their current state, with their errors, in the format of the file: XLSX, CSV or NDJSON. */
async function downloadFailed(
  { name, layout }: UsersFile,
  rows: readonly Row[],
  errors: RowErrors,
  describe: (error: RowError) => string,
): Promise<void> {
  const writer = new FailedRows(layout);
  const failed = rows.filter((row) => errors.has(row.number));
  const messages = (row: Row) => (errors.get(row.number) ?? []).map(describe);
  const extension = layout.sheet !== undefined ? 'xlsx' : layout.format === 'csv' ? 'csv' : 'ndjson';
  const content =
    layout.sheet === undefined
      ? [writer.head, ...failed.map((row) => writer.row(row, messages(row)))]
      : [await failedWorkbook(writer, failed, messages)];
  saveFile(`${name.replace(/\.[^.]*$/, '')}-failed.${extension}`, content);
}

export function Running({ jobs }: { jobs: readonly Job[] }) {
  const { progress } = useImportMessages();
  const { operation } = useResultMessages();
  return (
    <Surface title={progress.title}>
      <Stack gap="lg" tabIndex={-1} ref={focusOnMount}>
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

/** Saves the generated passwords of the applied rows, which no one can read afterwards. */
function downloadPasswords(
  { name, layout }: UsersFile,
  { rows, passwords }: SentRows,
  failed: RowErrors,
): void {
  const separator = layout.separator || ',';
  const applied = rows.filter(({ number: row }) => !failed.has(row));
  const head = byteOrderMark + csvLine(passwordColumns, separator);
  const lines = [head, ...passwordLines(applied, passwords, separator)];
  saveFile(`${name.replace(/\.[^.]*$/, '')}-passwords.csv`, lines, 'text/csv');
}

interface PasswordsProps {
  readonly count: number;
  readonly saved: boolean;
  readonly onDownload: () => void;
}

function Passwords({ count, saved, onDownload }: PasswordsProps) {
  const { passwords } = useImportMessages();
  const { number } = useFormats();
  return (
    <SaveOnce
      title={passwords.title(number(count), count)}
      text={passwords.once}
      isSaved={saved}
      downloads={[{ name: passwords.download, onSave: onDownload }]}
    />
  );
}

interface OutcomeProps {
  readonly applied: number;
  /** Rows whose values were stored already. */
  readonly skipped: number;
  readonly failed: number;
  readonly children: ReactNode;
  readonly onCorrect: () => void;
  readonly onDownload: () => void;
}

function Outcome({ applied, skipped, failed, children, onCorrect, onDownload }: OutcomeProps) {
  const { outcome } = useImportMessages();
  const { number } = useFormats();
  return (
    <Surface title={outcome.title}>
      <Stack>
        <Text role="status">
          {outcome.applied(number(applied))} {skipped > 0 && `${outcome.skipped(number(skipped))} `}
          {failed > 0 && outcome.failed(number(failed))}
        </Text>
        {children}
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
  readonly jobs: readonly Job[];
  /** Errors of the rows that were not sent because they failed the check. */
  readonly left: RowErrors;
  readonly onCorrect: (errors: RowErrors) => void;
}

export function Sent({ file, rows, sent, jobs, left, onCorrect }: SentProps) {
  const { rowError } = useImportMessages();
  const { undo } = useSyncMessages();
  const [saved, setSaved] = useState(false);
  const { errors: rejected } = sent;
  const failed = new Map([...left, ...rejected]);
  const [savedPasswords, setSavedPasswords] = useState(false);
  const skipped = [...sent.unchanged].filter((row) => !rejected.has(row)).length;
  const passwords = [...sent.passwords.keys()].filter((row) => !rejected.has(row)).length;
  useUnsaved((failed.size > 0 && !saved) || (passwords > 0 && !savedPasswords));

  function download(): void {
    const describe = (error: RowError) => formatRowError({ ...error, message: rowError(error) });
    void downloadFailed(file, rows, failed, describe).then(() => setSaved(true));
  }

  return (
    <Stack gap="lg" tabIndex={-1} ref={focusOnMount}>
      <Outcome
        applied={sent.rows.length - rejected.size - skipped}
        skipped={skipped}
        failed={failed.size}
        onCorrect={() => onCorrect(failed)}
        onDownload={download}
      >
        {passwords > 0 && (
          <Passwords
            count={passwords}
            saved={savedPasswords}
            onDownload={() => {
              downloadPasswords(file, sent, rejected);
              setSavedPasswords(true);
            }}
          />
        )}
        <Group>
          <Invited channel={sent.invites} run={sent.run} jobIds={jobs.map(({ ID }) => ID)} />
          {jobs.length > 0 && (
            <Button component={Link} href={`/runs/${sent.run}`} variant="default">
              {undo}
            </Button>
          )}
        </Group>
      </Outcome>
    </Stack>
  );
}
