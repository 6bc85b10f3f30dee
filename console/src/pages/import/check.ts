import { aboutRow, type Principals, type RowFaults, resetIn } from '@anagrafe/client/import';
import type { SheetItem } from '@anagrafe/client/sheet';
import { useMutation } from '@tanstack/react-query';
import { usePatientAnagrafe } from '../../api/anagrafe.ts';
import { tryAll } from '../../api/import.ts';
import { itemsOf, type Reading, type Row } from './row.ts';
import type { UsersFile } from './users-file.ts';
import { useWords } from './words.ts';

/** Rows, and what is wrong with them. */
export interface Checked {
  /** Those that were looked at: where one was mended since, these are others. */
  readonly rows: readonly Row[];
  readonly faults: RowFaults;
  /** What can be sent. */
  readonly sound: readonly SheetItem[];
  /** How long their passwords would be hashed. */
  readonly seconds: number;
  /** What rows say of principals that are not there yet. */
  readonly described: Principals;
}

interface Unchecked {
  readonly rows: readonly Row[];
  readonly reading: Reading;
  /** What other rows say of principals, where not all are looked at. */
  readonly described?: Principals;
}

/**
 * Looks at rows: first whether they mean something, then what the service would say to them. Nothing is done.
 *
 * `onEach` is told of each answer, also where another one was asked for meanwhile.
 */
export function useCheck(file: UsersFile, onEach: (found: Checked) => void = () => {}) {
  const anagrafe = usePatientAnagrafe();
  const { fault: say, resets } = useWords();
  return useMutation({
    gcTime: 0,
    onSuccess: onEach,
    mutationFn: async ({ rows, reading, described = new Map() }: Unchecked): Promise<Checked> => {
      const faults: RowFaults = new Map();
      for (const { row, fault } of rows) if (fault) faults.set(row, [aboutRow(say(fault))]);
      const items = await itemsOf(rows, file, reading);
      for (const item of items) {
        if (item.kind === 'fault')
          faults.set(
            item.row,
            item.faults.map((fault) => aboutRow(say(fault))),
          );
        // Whoever registers users does not mean to change the passwords of others.
        const column = resetIn(item);
        if (column !== null) faults.set(item.row, [{ column, message: resets }]);
      }
      const readable = items.filter(({ row }) => !faults.has(row));
      const tried = await tryAll(readable, anagrafe, described);
      for (const [row, why] of tried.faults) faults.set(row, why);
      const sound = readable.filter(({ row }) => !faults.has(row));
      return { rows, faults, sound, seconds: tried.seconds, described: tried.described };
    },
  });
}

/**
 * What was found, with what was found of a row that was mended since. It stays among those with problems, so that it does not go away
 * under the hands of whoever mends it. All rows have to be checked again all the same: what is wrong with one may lie in another.
 */
export function withRow(before: Checked, { rows: [row], faults }: Checked): Checked {
  if (!row || before.rows.includes(row)) return before;
  return {
    ...before,
    rows: before.rows.map((other) => (other.row === row.row ? row : other)),
    faults: new Map(before.faults).set(row.row, faults.get(row.row) ?? []),
  };
}
