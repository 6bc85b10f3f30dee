import { aboutRow, type RowFaults } from '@anagrafe/client/import';
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
}

/** Looks at rows: first whether they mean something, then what the service would say to them. Nothing is done. */
export function useCheck(file: UsersFile) {
  const anagrafe = usePatientAnagrafe();
  const { fault: say, resets } = useWords();
  return useMutation({
    gcTime: 0,
    mutationFn: async ({ rows, reading }: { rows: readonly Row[]; reading: Reading }): Promise<Checked> => {
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
        if (item.kind === 'user' && item.user.ID !== undefined) faults.set(item.row, [aboutRow(resets)]);
      }
      const readable = items.filter(({ row }) => !faults.has(row));
      const { faults: refused, seconds } = await tryAll(readable, anagrafe);
      for (const [row, why] of refused) faults.set(row, why);
      return { rows, faults, sound: readable.filter(({ row }) => !faults.has(row)), seconds };
    },
  });
}
