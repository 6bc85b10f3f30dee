import { newRun } from '@anagrafe/client';
import type { ColumnMapping, RowErrors } from '@anagrafe/importer';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages } from '../../i18n/language.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { type Checked, nothingValid, useCheck, withRow } from './check-rows.ts';
import { Columns, type Named, Principal, principalOf } from './column-mapping.tsx';
import { FileFailure } from './file-failure.tsx';
import { FilePage, TotalsRows, type WorkProps } from './file-page.tsx';
import { defaultOptions, Options, rulesOf } from './import-options.tsx';
import { Running, Sent, useUnsaved } from './import-result.tsx';
import { Rows } from './rows-table.tsx';
import { saveColumns, savedColumns } from './saved-columns.ts';
import { isOutdated, type Sending, useSendRows } from './send-rows.ts';
import type { Row } from './users-file.ts';

/** Import of one file: map the columns, check and correct the rows, send them, show the result. */
function Work({ file, onKeepTotals }: WorkProps) {
  const messages = useImportMessages();
  const { number } = useFormats();
  const [rows, setRows] = useState<readonly Row[]>(file.rows);
  const [saved] = useState(() => savedColumns(file.names));
  const [columns, setColumns] = useState<ColumnMapping>(saved ?? file.recognised);
  const [named, setNamed] = useState<Named>({ by: 'ID', value: '' });
  const [options, setOptions] = useState(defaultOptions);
  const [similarRows, setSimilarRows] = useState<ReadonlySet<number>>(new Set());
  const [checked, setChecked] = useState<Checked | null>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const check = useCheck(file);
  const checkRow = useCheck(file, (found) => setChecked((before) => before && withRow(before, found)));
  const send = useSendRows();
  // The jobs go on without this page, but the rows left out and the generated passwords exist only here.
  const isRunning = send.isPending && send.jobs.length > 0;
  const isLost = checked !== null && checked.errors.size + checked.passwords.size > 0;
  useUnsaved(isRunning ? isLost : !send.data && (send.isPending || rows !== file.rows));
  const rules = rulesOf(options);
  const { generatesPasswords, invites } = options;
  const reading = { columns, principal: principalOf(named), generatesPasswords, invites, similarRows };

  function checkAll(): void {
    const onSuccess = (found: Checked) => {
      setChecked(found);
      setSending(null);
      send.reset();
    };
    check.mutate({ rows, reading, rules }, { onSuccess });
  }
  function replaceRow(row: Row, similar = similarRows): void {
    setRows((before) => before.map((other) => (other.number === row.number ? row : other)));
    const newPrincipals = checked?.newPrincipals ?? new Map();
    checkRow.mutate({ rows: [row], reading: { ...reading, similarRows: similar }, rules, newPrincipals });
  }
  function allowSimilar(row: Row, isAllowed: boolean): void {
    const others = [...similarRows].filter((number) => number !== row.number);
    const similar = new Set(isAllowed ? [...others, row.number] : others);
    setSimilarRows(similar);
    // Its result is no longer that of the check.
    replaceRow({ ...row }, similar);
  }
  /** Wraps a setter of a reading option so that a change discards the check result, which is valid for one reading. */
  const discardingCheck =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      setChecked(null);
      check.reset();
    };
  const mapColumns = discardingCheck((mapping: ColumnMapping) => {
    setColumns(mapping);
    saveColumns(file.names, mapping);
  });
  function sendRows(): void {
    if (!checked) return;
    // A retry reuses the name and therefore the idempotency keys, so that the service applies each record once.
    const { valid: rows, unchanged, passwords, plan } = checked;
    const run = newRun();
    const attempt = sending ?? {
      name: `console-${run}`,
      run,
      rules,
      rows,
      unchanged,
      passwords,
      invites,
      plan,
    };
    setSending(attempt);
    send.mutate(attempt);
  }
  function correctFailed(errors: RowErrors): void {
    const left = rows.filter((row) => errors.has(row.number));
    setRows(left);
    setChecked({ ...nothingValid, rows: left, errors });
    setSending(null);
    send.reset();
  }

  if (send.data && checked) {
    return (
      <Sent
        file={file}
        rows={rows}
        sent={send.data}
        jobs={send.jobs}
        left={checked.errors}
        onCorrect={correctFailed}
      />
    );
  }
  if (isRunning) return <Running jobs={send.jobs} />;
  return (
    <Stack gap="lg">
      <Text fw={600} tabIndex={-1} ref={focusOnMount}>
        {messages.rowsOf(file.name, number(rows.length))}
      </Text>
      <TotalsRows file={file} onChange={onKeepTotals} />
      <Columns file={file} columns={columns} isSaved={columns === saved} onChange={mapColumns}>
        <Principal named={named} onChange={discardingCheck(setNamed)} />
      </Columns>
      <Options options={options} onChange={discardingCheck(setOptions)} />
      {check.error && <FileFailure error={check.error} title={messages.checkFailed} onRetry={checkAll} />}
      {!checked && (
        <Group>
          <Button onClick={checkAll} loading={check.isPending}>
            {messages.check}
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
          similarRows={similarRows}
          onSimilar={allowSimilar}
          onRow={(row) => replaceRow(row)}
          onCheck={checkAll}
          onRun={sendRows}
        />
      )}
      {send.error && (
        <FileFailure
          error={send.error}
          title={messages.sendFailed}
          // A plan that no longer holds must be computed and confirmed again.
          onRetry={isOutdated(send.error) ? checkAll : sendRows}
        />
      )}
    </Stack>
  );
}

export function Import() {
  const { title, intro, choose } = useImportMessages();
  return <FilePage title={title} intro={intro} command={choose.command} work={Work} />;
}
