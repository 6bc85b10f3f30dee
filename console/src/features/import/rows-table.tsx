import { type ColumnMapping, rowUnit } from '@anagrafe/importer';
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { type MouseEvent, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages } from '../../i18n/language.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { LocalTable } from '../../ui/local-table.tsx';
import { Surface } from '../../ui/page.tsx';
import { Empty } from '../../ui/table.tsx';
import type { Checked } from './check-rows.ts';
import classes from './import.module.css';
import { PlanTable } from './plan-table.tsx';
import { useRowColumns } from './row-columns.tsx';
import { RowWarnings } from './row-warnings.tsx';
import type { Row, UsersFile } from './users-file.ts';

/**
 * Returns the event handlers of a button that the user may click while a field has the focus. `onMouseDown` keeps the
 * focus in the field: a blur before the click would start a check of the row, and the layout shift could move the
 * button away from the pointer. `onClick` then blurs the field, which commits its text, and calls the latest `act`.
 */
function useAfterTyping(act: () => void) {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return {
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: () => {
      const { activeElement } = document;
      if (activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement)
        flushSync(() => activeElement.blur());
      latest.current();
    },
  };
}

/**
 * Returns a ref for the region of a wide table. A check of all rows scrolls it back to the first columns, or on to the
 * first wrong cell if that is not beside them.
 */
function useFirstColumns({ rows, checked }: Pick<RowsProps, 'rows' | 'checked'>) {
  const region = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies(rows): an edited row must stay where it is.
  useLayoutEffect(() => {
    const { current } = region;
    if (!current || checked.rows !== rows) return;
    current.scrollLeft = 0;
    const wrong = current.querySelector('td:has([aria-invalid="true"])')?.getBoundingClientRect();
    const beyond = (wrong?.right ?? 0) - current.getBoundingClientRect().right;
    if (beyond > 0) current.scrollLeft = beyond;
  }, [checked]);
  return region;
}

interface RowsProps {
  readonly file: UsersFile;
  /** The rows in their current state; `checked.rows` is the same array until one is edited. */
  readonly rows: readonly Row[];
  readonly columns: ColumnMapping;
  readonly checked: Checked;
  readonly busy: 'checking' | 'sending' | null;
  /** The numbers of the rows whose principals may look like others. */
  readonly similarRows: ReadonlySet<number>;
  readonly onSimilar: (row: Row, isAllowed: boolean) => void;
  readonly onRow: (row: Row) => void;
  readonly onCheck: () => void;
  readonly onRun: () => void;
}

export function Rows({
  file,
  rows,
  columns,
  checked,
  busy,
  similarRows,
  onSimilar,
  onRow,
  onCheck,
  onRun,
}: RowsProps) {
  const messages = useImportMessages();
  const { number, duration } = useFormats();
  const [view, setView] = useState<'only' | 'all'>('only');
  const { errors, valid, totals, seconds, plan, warnings, unused } = checked;
  const isNothing = valid.length === 0 || plan?.changes.length === 0;
  const changed = checked.rows !== rows;
  const shown = view === 'all' ? rows : rows.filter(({ number: row }) => errors.has(row));
  const shownColumns = useRowColumns({ file, columns, checked, similarRows, onSimilar, onRow });
  const region = useFirstColumns({ rows, checked });
  const checkAgain = useAfterTyping(onCheck);
  const all = number(rows.length);
  const summary =
    errors.size === 0 ? messages.rows.allFine(all) : messages.rows.problems(number(errors.size), all);

  return (
    <Surface
      title={messages.rows.title}
      flush
      actions={
        <SegmentedControl
          aria-label={messages.rows.view}
          value={view}
          onChange={setView}
          data={[
            { value: 'only', label: messages.rows.only },
            { value: 'all', label: messages.rows.all },
          ]}
        />
      }
    >
      <Stack gap={4} px="lg" pb="md">
        <Text role="status" fw={600} tabIndex={-1} ref={focusOnMount}>
          {changed ? messages.rows.changed : summary}
        </Text>
        {!changed && errors.size > 0 && (
          <Text size="sm" c="dimmed">
            {messages.rows.correct}
          </Text>
        )}
        {!changed && !plan && totals && (
          <Text size="sm">
            {messages.rows.created(number(totals.PrincipalsInserted), number(totals.UsersRegistered))}
          </Text>
        )}
        {!changed && seconds >= 1 && (
          <Text size="sm" c="dimmed">
            {messages.rows.estimate(duration(Math.ceil(seconds)))}
          </Text>
        )}
      </Stack>
      {!changed && <RowWarnings warnings={warnings} unused={unused} unit={rowUnit(file.layout)} />}
      <LocalTable
        ref={region}
        caption={messages.rows.caption}
        columns={shownColumns}
        rows={shown}
        keyOf={(row) => row.number}
        empty={<Empty title={messages.rows.none} hint={messages.rows.noneHint} />}
      />
      {plan && !changed && <PlanTable plan={plan} />}
      <Group gap="xs" className={classes.actions ?? ''}>
        <Button onClick={onRun} disabled={changed || isNothing} loading={busy === 'sending'}>
          {messages.run(number(valid.length), valid.length)}
        </Button>
        <Button variant="default" {...checkAgain} loading={busy === 'checking'}>
          {messages.checkAgain}
        </Button>
        <Text size="sm" role="status">
          {busy === 'sending' && messages.sending}
        </Text>
      </Group>
    </Surface>
  );
}
