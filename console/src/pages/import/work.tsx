import type { RowFaults } from '@anagrafe/client/import';
import type { ColumnMapping } from '@anagrafe/client/sheet';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Sending, useSendRows } from '../../api/import.ts';
import { useFormats } from '../../language/formats.ts';
import { arrive } from './arrive.ts';
import { type Checked, useCheck, withRow } from './check.ts';
import { Columns } from './columns.tsx';
import { type Named, Principal, principalOf } from './principal.tsx';
import type { Row } from './row.ts';
import { Rows } from './rows.tsx';
import { Sent } from './sent.tsx';
import { Trouble } from './trouble.tsx';
import { useUnsaved } from './unsaved.ts';
import type { UsersFile } from './users-file.ts';
import { useWords } from './words.ts';

/** What is done with a file: its columns are told, its rows checked and mended, and then it is run. */
export function Work({ file }: { file: UsersFile }) {
  const words = useWords();
  const { number } = useFormats();
  const [rows, setRows] = useState<readonly Row[]>(file.rows);
  const [columns, setColumns] = useState<ColumnMapping>(file.recognised);
  const [named, setNamed] = useState<Named>({ by: 'ID', value: '' });
  const [checked, setChecked] = useState<Checked | null>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const check = useCheck(file);
  const checkRow = useCheck(file, (found) => setChecked((before) => before && withRow(before, found)));
  const send = useSendRows();
  useUnsaved(send.isPending || (!send.data && rows !== file.rows));
  const reading = { columns, principal: principalOf(named) };

  function look(): void {
    const onSuccess = (found: Checked) => {
      setChecked(found);
      setSending(null);
      send.reset();
    };
    check.mutate({ rows, reading }, { onSuccess });
  }
  function mendRow(row: Row): void {
    setRows((before) => before.map((other) => (other.row === row.row ? row : other)));
    checkRow.mutate({ rows: [row], reading, ...(checked && { described: checked.described }) });
  }
  /** What was found out holds for these columns alone. */
  const readAnew =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      setChecked(null);
      check.reset();
    };
  function begin(): void {
    if (!checked) return;
    // The same again after a failure: the service does nothing twice.
    const wish = sending ?? { name: `console-${randomName()}`, items: checked.sound };
    setSending(wish);
    send.mutate(wish);
  }
  function mend(faults: RowFaults): void {
    const left = rows.filter(({ row }) => faults.has(row));
    setRows(left);
    setChecked({ rows: left, faults, sound: [], seconds: 0, described: new Map() });
    setSending(null);
    send.reset();
  }

  if (send.data && checked) {
    return <Sent file={file} rows={rows} sent={send.data} left={checked.faults} onMend={mend} />;
  }
  return (
    <Stack gap="lg">
      <Text fw={600} tabIndex={-1} ref={arrive}>
        {words.rowsOf(file.name, number(rows.length))}
      </Text>
      <Columns file={file} columns={columns} onChange={readAnew(setColumns)}>
        <Principal named={named} onChange={readAnew(setNamed)} />
      </Columns>
      {check.error && <Trouble error={check.error} title={words.checkFailed} onRetry={look} />}
      {!checked && (
        <Group>
          <Button onClick={look} loading={check.isPending}>
            {words.check}
          </Button>
        </Group>
      )}
      {checked && (
        <Rows
          file={file}
          rows={rows}
          columns={columns}
          checked={checked}
          busy={check.isPending ? 'checking' : send.isPending ? 'sending' : null}
          onRow={mendRow}
          onCheck={look}
          onRun={begin}
        />
      )}
      {send.error && <Trouble error={send.error} title={words.sendFailed} onRetry={begin} />}
    </Stack>
  );
}

/** Not `crypto.randomUUID`, which a page that came over plain http does not have. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
}
