import { aboutRow, type Principals, type RowFaults, resetIn } from '@anagrafe/client/import';
import type { SheetItem } from '@anagrafe/client/sheet';
import { useMutation } from '@tanstack/react-query';
import { useImportMessages } from '../../i18n/messages.ts';
import { usePatientAnagrafe } from '../session/api-client.ts';
import { dryRun } from './send-rows.ts';
import { itemsOf, type Reading, type Row, type UsersFile } from './users-file.ts';

/** Result of checking rows. */
export interface Checked {
  /** The rows as checked. Editing a row replaces its object, so a row that is not in this list has no result yet. */
  readonly rows: readonly Row[];
  readonly faults: RowFaults;
  /** The rows without errors, ready to be sent. */
  readonly sound: readonly SheetItem[];
  /** Estimated time in seconds that the service needs to hash the passwords. */
  readonly seconds: number;
  /** The principals that the import would insert, by external key. */
  readonly described: Principals;
}

interface CheckInput {
  readonly rows: readonly Row[];
  readonly reading: Reading;
  /** The principals that the rest of the file would insert; required if `rows` is only a part of the file. */
  readonly described?: Principals;
}

/**
 * Checks rows without writing anything: parses them in the browser, then sends the readable ones as a dry run.
 *
 * `onEach` receives the result of every check. A callback passed to `mutate` runs only for the latest one.
 */
export function useCheck(file: UsersFile, onEach: (found: Checked) => void = () => {}) {
  const anagrafe = usePatientAnagrafe();
  const { fault: messageOf, resets } = useImportMessages();
  return useMutation({
    gcTime: 0,
    onSuccess: onEach,
    mutationFn: async ({ rows, reading, described = new Map() }: CheckInput): Promise<Checked> => {
      const faults: RowFaults = new Map();
      for (const { row, fault } of rows) if (fault) faults.set(row, [aboutRow(messageOf(fault))]);
      const items = await itemsOf(rows, file, reading);
      for (const item of items) {
        if (item.kind === 'fault')
          faults.set(
            item.row,
            item.faults.map((fault) => aboutRow(messageOf(fault))),
          );
        // An import only registers users. A row that would reset a password is an error.
        const column = resetIn(item);
        if (column !== null) faults.set(item.row, [{ column, message: resets }]);
      }
      const readable = items.filter(({ row }) => !faults.has(row));
      const tried = await dryRun(readable, anagrafe, described);
      for (const [row, errors] of tried.faults) faults.set(row, errors);
      const sound = readable.filter(({ row }) => !faults.has(row));
      return { rows, faults, sound, seconds: tried.seconds, described: tried.described };
    },
  });
}

/**
 * Merges the check result of one corrected row into the result of all rows. The row keeps an entry in `faults`, even if
 * it has no errors left, so that the table of rows with errors does not remove it while the user is editing it.
 *
 * The merged result does not replace a check of all rows, because an error in one row can depend on another row.
 */
export function withRow(before: Checked, { rows: [row], faults }: Checked): Checked {
  if (!row || before.rows.includes(row)) return before;
  return {
    ...before,
    rows: before.rows.map((other) => (other.row === row.row ? row : other)),
    faults: new Map(before.faults).set(row.row, faults.get(row.row) ?? []),
  };
}
