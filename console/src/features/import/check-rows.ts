import type {
  ColumnMapping,
  GeneratedPasswords,
  ImportColumn,
  ImportConnection,
  ImportRow,
  ImportTotals,
  Principals,
  RowErrors,
  UnusedColumn,
  WarningSummary,
  WriteRules,
} from '@anagrafe/importer';
import {
  ColumnProfiles,
  DryRunState,
  dryRunRows,
  FileComparer,
  fillInvites,
  fillPasswords,
  fromFileError,
  rowUnit,
} from '@anagrafe/importer';
import { useMutation } from '@tanstack/react-query';
import { usePatientAnagrafe } from '../session/api-client.ts';
import { generatePassword } from '../users/password-field.tsx';
import { type Plan, type PlanOptions, planRows } from './plan-rows.ts';
import { type Reading, type Row, readRows, type UsersFile } from './users-file.ts';

export interface Checked {
  /** The rows as checked. Editing a row replaces its object, so a row that is not in this list has no result yet. */
  readonly rows: readonly Row[];
  readonly errors: RowErrors;
  readonly valid: readonly ImportRow[];
  /** The numbers of the rows in `valid` that would change nothing, because all of their values are stored already. */
  readonly unchanged: ReadonlySet<number>;
  /** The number of principals and users that the valid rows would create and change; null before a check of all rows. */
  readonly totals: ImportTotals | null;
  /** Estimated time in seconds that the service needs to hash the passwords. */
  readonly seconds: number;
  /** The principals that the import would insert, by external key. */
  readonly newPrincipals: Principals;
  /** The generated passwords of the users in `valid` that would be registered. */
  readonly passwords: GeneratedPasswords;
  /** The changes to confirm; null if the import only creates. */
  readonly plan: Plan | null;
  readonly warnings: readonly WarningSummary[];
  readonly unused: readonly UnusedColumn[];
}

/** The result of a check whose rows have no result yet. */
export const nothingValid = {
  valid: [],
  unchanged: new Set<number>(),
  totals: null,
  seconds: 0,
  newPrincipals: new Map(),
  passwords: new Map(),
  plan: null,
  warnings: [],
  unused: [],
} satisfies Partial<Checked>;

interface CheckInput {
  readonly rows: readonly Row[];
  readonly reading: Reading;
  readonly rules: WriteRules;
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
    mutationFn: async ({ rows, reading, rules, newPrincipals }: CheckInput): Promise<Checked> => {
      const errors: RowErrors = new Map();
      const unit = rowUnit(file.layout);
      for (const { number, error } of rows) if (error) errors.set(number, [fromFileError(error)]);
      const read = readRows(rows, file, reading);
      const { existing } = rules;
      // An update is planned with one record for each principal.
      const isStrict = existing === 'update';
      const comparer = new FileComparer({ existing, unit, isStrict, readAll: () => read });
      const { consistent, aliases, errors: inFile } = await comparer.compare(read, { anagrafe });
      const { rows: filled, passwords } = reading.generatesPasswords
        ? fillPasswords(consistent, () => generatePassword())
        : {
            rows: reading.invites ? fillInvites(consistent, reading.invites) : consistent,
            passwords: new Map(),
          };
      const state = new DryRunState(rules, newPrincipals);
      const result = await dryRunRows(filled, { anagrafe }, state);
      for (const [number, found] of [...inFile, ...result.errors]) errors.set(number, found);
      const isValid = ({ number }: ImportRow) => !errors.has(number);
      // One row alone has no plan: a plan is for all rows that are sent.
      const isPlanned = existing === 'update' && newPrincipals === undefined;
      const plan = isPlanned ? await planValid(filled, errors, { aliases, rules }, { anagrafe }) : null;
      const valid = filled.filter(isValid);
      return {
        rows,
        errors,
        valid,
        unchanged: new Set([...result.effects.unchanged].filter((number) => !errors.has(number))),
        totals: result.totals,
        seconds: result.seconds,
        newPrincipals: state.newPrincipals,
        passwords: ofRows(passwords, plan?.registered ?? new Set(valid.map(({ number }) => number))),
        plan,
        warnings: comparer.warnings.summaries,
        unused: unusedColumns(rows, file, reading.columns),
      };
    },
  });
}

/** Plans the rows without errors. A row that only the plan refuses gets its errors, and the others are planned again. */
async function planValid(
  rows: readonly ImportRow[],
  errors: RowErrors,
  options: PlanOptions,
  connection: ImportConnection,
): Promise<Plan> {
  for (;;) {
    const plan = await planRows(
      rows.filter(({ number }) => !errors.has(number)),
      options,
      connection,
    );
    if (plan.errors.size === 0) return plan;
    for (const [number, found] of plan.errors) errors.set(number, found);
  }
}

function unusedColumns(
  rows: readonly Row[],
  { names }: UsersFile,
  columns: ColumnMapping,
): readonly UnusedColumn[] {
  const profiles = new ColumnProfiles(mappedColumns(names, columns));
  for (const { source } of rows) profiles.add(source);
  return profiles.unused;
}

/** Returns the columns of a file with the fields that they are mapped to. */
export function mappedColumns(names: readonly string[], columns: ColumnMapping): readonly ImportColumn[] {
  return names.map((name) => {
    const field = columns[name] ?? null;
    return { name, field, kind: field !== null ? 'mapped' : name.trim() === '' ? 'unnamed' : 'unknown' };
  });
}

function ofRows(passwords: GeneratedPasswords, rows: ReadonlySet<number>): GeneratedPasswords {
  return new Map([...passwords].filter(([row]) => rows.has(row)));
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
