import {
  type ColumnMapping,
  MissingUnknownError,
  rowUnit,
  type SyncTotals,
  totalsOfPlan,
  UnsettledPlanError,
} from '@anagrafe/importer';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { SyncCounts } from '../../i18n/en.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages, useSyncMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, useDialog } from '../../ui/dialog.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Surface, useIsActivePage } from '../../ui/page.tsx';
import { Columns } from '../import/column-mapping.tsx';
import { FileFailure } from '../import/file-failure.tsx';
import { FilePage, TotalsRows, type WorkProps } from '../import/file-page.tsx';
import { useUnsaved } from '../import/import-result.tsx';
import { RowWarnings } from '../import/row-warnings.tsx';
import { saveColumns, savedColumns } from '../import/saved-columns.ts';
import { isOutdated } from '../import/send-rows.ts';
import { Invited } from '../invitations/invited.tsx';
import { ChangesTable } from '../plans/changes-table.tsx';
import { JobProgress } from '../results/job-progress.tsx';
import { Problems } from './problems.tsx';
import { defaultOptions, Options } from './sync-options.tsx';
import { problemsOf, type ShownComparison, type SyncResult, useApply, useCompare } from './sync-plan.ts';

/** Makes principals and their users equal to a file: map the columns, compare, confirm the changes, apply them. */
export function Sync() {
  const { title, intro, command } = useSyncMessages();
  return <FilePage title={title} intro={intro} command={command} work={Work} />;
}

function Work({ file, onKeepTotals }: WorkProps) {
  const messages = useSyncMessages();
  const { rowsOf } = useImportMessages();
  const { number } = useFormats();
  const [saved] = useState(() => savedColumns(file.names));
  const [columns, setColumns] = useState<ColumnMapping>(saved ?? file.recognised);
  const [options, setOptions] = useState(defaultOptions);
  const compare = useCompare(file);
  const apply = useApply();
  // Each part of the file is sent after the one before it has ended.
  useUnsaved(apply.isPending);
  function change(set: () => void): void {
    set();
    compare.reset();
    apply.reset();
  }
  function compareAll(): void {
    apply.reset();
    compare.mutate({ columns, options });
  }
  function reasonOf(error: Error): string | null {
    if (error instanceof UnsettledPlanError) return messages.unsettled;
    return error instanceof MissingUnknownError ? messages.missingUnknown : null;
  }
  const { data: comparison } = compare;
  if (apply.data && comparison) return <Result comparison={comparison} result={apply.data} />;
  return (
    <Stack gap="lg">
      <Text fw={600} tabIndex={-1} ref={focusOnMount}>
        {rowsOf(file.name, number(file.rows.length))}
      </Text>
      <TotalsRows file={file} onChange={onKeepTotals} />
      <Columns
        file={file}
        columns={columns}
        isSaved={columns === saved}
        onChange={(mapping) =>
          change(() => {
            setColumns(mapping);
            saveColumns(file.names, mapping);
          })
        }
      >
        <Text size="sm" c="dimmed">
          {messages.named}
        </Text>
      </Columns>
      <Options options={options} onChange={(next) => change(() => setOptions(next))} />
      {compare.error && (
        <FileFailure
          error={compare.error}
          title={messages.compareFailed}
          reason={reasonOf(compare.error)}
          onRetry={compareAll}
        />
      )}
      <Group>
        <Button
          onClick={compareAll}
          loading={compare.isPending}
          variant={comparison ? 'default' : 'filled'}
          disabled={apply.isPending}
        >
          {comparison ? messages.compareAgain : messages.compare}
        </Button>
        <Text size="sm" role="status">
          {compare.isPending && compare.done > 0 && messages.compared(number(compare.done))}
        </Text>
      </Group>
      {comparison && (
        <Changes
          file={file}
          comparison={comparison}
          isBusy={apply.isPending}
          onApply={() => apply.mutate(comparison)}
        />
      )}
      {apply.isPending && apply.job && (
        <Surface title={messages.applying}>
          <JobProgress job={apply.job} />
        </Surface>
      )}
      {apply.error && comparison && (
        <Failure
          error={apply.error}
          title={messages.applyFailed}
          // A plan that no longer holds must be computed and confirmed again.
          onRetry={isOutdated(apply.error) ? compareAll : () => apply.mutate(comparison)}
        />
      )}
    </Stack>
  );
}

interface ChangesProps extends Pick<WorkProps, 'file'> {
  readonly comparison: ShownComparison;
  readonly isBusy: boolean;
  readonly onApply: () => void;
}

/** The changes to confirm or, if the file cannot be used, its errors. */
function Changes({ file, comparison, isBusy, onApply }: ChangesProps) {
  const messages = useSyncMessages();
  const { number } = useFormats();
  const isActive = useIsActivePage();
  const [dialog, open] = useDialog();
  const { problems, changes, totals, size, removals, losses, hasManyLosses, disabledUsers, gone } =
    comparison;
  const unit = rowUnit(file.layout);
  if (problems.length > 0) {
    const lines = new Set(problems.map(({ line }) => line)).size;
    return (
      <Problems
        title={messages.unusable(number(lines), unit)}
        problems={problems}
        names={comparison.names}
        isError
      />
    );
  }
  const warnings = (
    <RowWarnings warnings={comparison.warnings.summaries} unused={comparison.unused} unit={unit} />
  );
  const confirm = () =>
    open((close) => (
      <ConfirmDialog
        title={totals.UsersMoved > 0 ? messages.confirm.titleWithMoves : messages.confirm.title}
        text={(totals.UsersMoved > 0 ? messages.confirm.textWithMoves : messages.confirm.text)(
          number(losses),
        )}
        action={messages.apply}
        {...(hasManyLosses && { name: String(losses) })}
        onConfirm={() => {
          close();
          onApply();
        }}
        onClose={close}
      />
    ));
  return (
    <Surface title={messages.changes} flush>
      <Stack px="lg" pb="md" gap="xs" align="flex-start">
        <Text fw={600} role="status" tabIndex={-1} ref={focusOnMount}>
          {messages.summary(formatted(totals, number))}
        </Text>
        {comparison.plan.failedRecords.length > 0 && (
          <Text size="sm" c="var(--mantine-color-error)">
            {messages.leftOut(number(comparison.plan.failedRecords.length))}
          </Text>
        )}
        {gone !== null && gone.missing.length > comparison.disables.length && (
          <Text size="sm">{messages.stayActive(number(gone.missing.length))}</Text>
        )}
        {disabledUsers === null && <Text size="sm">{messages.stayDisabledUnknown}</Text>}
        {disabledUsers !== null && disabledUsers.length > 0 && (
          <Text size="sm">
            {messages.stayDisabled(number(disabledUsers.length), disabledUsers.slice(0, 5).join(', '))}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {messages.hint}
        </Text>
        <Button
          disabled={size === 0}
          loading={isBusy}
          onClick={removals > 0 || hasManyLosses ? confirm : onApply}
          {...(removals > 0 && { color: 'red' })}
        >
          {messages.apply}
        </Button>
      </Stack>
      {warnings}
      <ChangesTable
        caption={messages.caption}
        changes={changes}
        empty={messages.none}
        names={comparison.names}
      />
      {isActive && dialog}
    </Surface>
  );
}

/** Formats the numbers of a summary. */
function formatted(totals: SyncTotals, number: (value: number) => string): SyncCounts {
  return Object.fromEntries(Object.entries(totals).map(([name, count]) => [name, number(count)])) as Record<
    keyof SyncTotals,
    string
  >;
}

function Result({ comparison, result }: { comparison: ShownComparison; result: SyncResult }) {
  const messages = useSyncMessages();
  const { number } = useFormats();
  const { failed, failedRecords: refusedRecords, kept } = result;
  const { plan, disables } = comparison;
  const totals = totalsOfPlan(plan, { disabled: disables.length - kept.length, refused: refusedRecords });
  const refused = problemsOf(comparison, result, messages.leftOutRow);
  return (
    <Stack gap="lg">
      <Surface title={messages.outcome}>
        <Stack align="flex-start" tabIndex={-1} ref={focusOnMount}>
          <Text role="status" fw={600}>
            {failed.length + kept.length === 0
              ? messages.applied(number(comparison.size))
              : messages.appliedPartly}
          </Text>
          <Text size="sm">{messages.summary(formatted(totals, number))}</Text>
          {kept.map(({ principal, message }) => (
            <Text key={principal.ID} size="sm" c="var(--mantine-color-error)">
              {principal.Denomination ?? principal.ExternalKey ?? `#${principal.ID}`}: {message}
            </Text>
          ))}
          <Group>
            <Invited channel={comparison.invites} run={comparison.run} jobIds={result.jobIds} />
            <Button component={Link} href={`/runs/${comparison.run}`} variant="default">
              {messages.undo}
            </Button>
          </Group>
        </Stack>
      </Surface>
      {refused.length > 0 && (
        <Problems title={messages.notApplied} problems={refused} names={comparison.names} />
      )}
    </Stack>
  );
}
