import type { ColumnMapping } from '@anagrafe/client/sheet';
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Surface } from '../../parts/surface.tsx';
import { Table } from '../../parts/table.tsx';
import { useAfterTyping } from './after-typing.ts';
import { arrive } from './arrive.ts';
import type { Checked } from './check.ts';
import type { Row } from './row.ts';
import { useRowColumns } from './row-columns.tsx';
import classes from './rows.module.css';
import type { UsersFile } from './users-file.ts';
import { useWords } from './words.ts';

interface RowsProps {
  readonly file: UsersFile;
  /** As they are now. */
  readonly rows: readonly Row[];
  readonly columns: ColumnMapping;
  readonly checked: Checked;
  readonly busy: 'checking' | 'sending' | null;
  readonly onRow: (row: Row) => void;
  readonly onCheck: () => void;
  readonly onRun: () => void;
}

const pageSize = 25;

/** The rows with what is wrong beside them, to be mended, checked again and run. */
export function Rows({ file, rows, columns, checked, busy, onRow, onCheck, onRun }: RowsProps) {
  const words = useWords();
  const { number } = useFormats();
  const [view, setView] = useState<'only' | 'all'>('only');
  const [asked, setAsked] = useState(1);
  const { faults, sound, seconds } = checked;
  const changed = checked.rows !== rows;
  const shown = view === 'all' ? rows : rows.filter(({ row }) => faults.has(row));
  const totalPages = Math.max(1, Math.ceil(shown.length / pageSize));
  const page = Math.min(asked, totalPages);
  const shownColumns = useRowColumns({ file, columns, checked, onRow });
  const checkAgain = useAfterTyping(onCheck);
  const all = number(rows.length);
  const verdict = faults.size === 0 ? words.rows.allFine(all) : words.rows.problems(number(faults.size), all);

  return (
    <Surface
      title={words.rows.title}
      flush
      actions={
        <SegmentedControl
          aria-label={words.rows.view}
          value={view}
          onChange={setView}
          data={[
            { value: 'only', label: words.rows.only },
            { value: 'all', label: words.rows.all },
          ]}
        />
      }
    >
      <Stack gap={4} px="lg" pb="md">
        <Text role="status" fw={600} tabIndex={-1} ref={arrive}>
          {changed ? words.rows.changed : verdict}
        </Text>
        {!changed && faults.size > 0 && (
          <Text size="sm" c="dimmed">
            {words.rows.mend}
          </Text>
        )}
        {!changed && seconds >= 1 && (
          <Text size="sm" c="dimmed">
            {words.rows.estimate(number(Math.ceil(seconds)))}
          </Text>
        )}
      </Stack>
      <Table
        caption={words.rows.caption}
        columns={shownColumns}
        rows={shown.slice((page - 1) * pageSize, page * pageSize)}
        keyOf={({ row }) => row}
        error={null}
        onRetry={onCheck}
        empty={<Empty title={words.rows.none} hint={words.rows.noneHint} />}
      />
      <Pager
        of={words.rows.caption}
        page={page}
        pageSize={pageSize}
        totalCount={shown.length}
        totalPages={totalPages}
        onPage={setAsked}
      />
      <Group gap="xs" className={classes.actions ?? ''}>
        <Button onClick={onRun} disabled={changed || sound.length === 0} loading={busy === 'sending'}>
          {words.run(number(sound.length), sound.length)}
        </Button>
        <Button variant="default" {...checkAgain} loading={busy === 'checking'}>
          {words.checkAgain}
        </Button>
        <Text size="sm" role="status">
          {busy === 'sending' && words.sending}
        </Text>
      </Group>
    </Surface>
  );
}
