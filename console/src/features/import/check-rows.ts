import type { ImportRow, Principals, RowErrors } from '@anagrafe/importer';
import { DryRunState, dryRunRows, findResets, fromFileError } from '@anagrafe/importer';
import { useMutation } from '@tanstack/react-query';
import { usePatientAnagrafe } from '../session/api-client.ts';
import { type Reading, type Row, readRows, type UsersFile } from './users-file.ts';

export interface Checked {
  /** The rows as checked. Editing a row replaces its object, so a row that is not in this list has no result yet. */
  readonly rows: readonly Row[];
  readonly errors: RowErrors;
  readonly valid: readonly ImportRow[];
  /** Estimated time in seconds that the service needs to hash the passwords. */
  readonly seconds: number;
  /** The principals that the import would insert, by external key. */
  readonly newPrincipals: Principals;
}

interface CheckInput {
  readonly rows: readonly Row[];
  readonly reading: Reading;
  /** The principals that the rest of the file would insert; required if `rows` is only a part of the file. */
  readonly newPrincipals?: Principals;
}

/**
 * Checks rows without writing anything: parses them in the browser, then sends the readable ones as a dry run.
 *
 * `onEach` receives the result of every check. A callback passed to `mutate` runs only for the latest one.
 */
export function useCheck(file: UsersFile, onEach: (checked: Checked) => void = () => {}) {
  const anagrafe = usePatientAnagrafe();
  return useMutation({
    gcTime: 0,
    onSuccess: onEach,
    mutationFn: async ({ rows, reading, newPrincipals }: CheckInput): Promise<Checked> => {
      const errors: RowErrors = new Map();
      for (const { number, error } of rows) if (error) errors.set(number, [fromFileError(error)]);
      const parsed = readRows(rows, file, reading);
      // An import only registers users. A row that would reset a password is an error.
      for (const [number, found] of findResets(parsed)) errors.set(number, found);
      const readable = parsed.filter(({ number }) => !errors.has(number));
      const state = new DryRunState(newPrincipals);
      const result = await dryRunRows(readable, { anagrafe }, state);
      for (const [number, found] of result.errors) errors.set(number, found);
      const valid = readable.filter(({ number }) => !errors.has(number));
      return { rows, errors, valid, seconds: result.seconds, newPrincipals: state.newPrincipals };
    },
  });
}

/**
 * Merges the check result of one corrected row into the result of all rows. The row keeps an entry in `errors`, even if
 * it has no errors left, so that the table of rows with errors does not remove it while the user is editing it.
 *
 * The merged result does not replace a check of all rows, because an error in one row can depend on another row.
 */
export function withRow(before: Checked, { rows: [row], errors }: Checked): Checked {
  if (!row || before.rows.includes(row)) return before;
  return {
    ...before,
    rows: before.rows.map((other) => (other.number === row.number ? row : other)),
    errors: new Map(before.errors).set(row.number, errors.get(row.number) ?? []),
  };
}
