import type { ImportTotals, SyncTotals } from '@anagrafe/importer';
import type { ImportTask } from '@anagrafe/importer/node';
import { counted, grouped } from './output/format.ts';
import { tell } from './output/output.ts';

/** The totals for `--json`. A reset has none. */
export function totalsOf(totals: ImportTotals, { purpose }: ImportTask): Partial<ImportTotals> {
  return purpose === 'register' ? totals : {};
}

type Part = readonly [name: keyof SyncTotals, planned: string, done: string];

const ofPrincipals: readonly Part[] = [
  ['PrincipalsInserted', 'to create', 'created'],
  ['PrincipalsUpdated', 'to change', 'changed'],
  ['PrincipalsDisabled', 'to disable', 'disabled'],
  ['PrincipalsUnchanged', 'unchanged', 'unchanged'],
  ['PrincipalsLeftOut', 'left out', 'left out'],
];
const ofUsers: readonly Part[] = [
  ['UsersRegistered', 'to register', 'registered'],
  ['UsersUpdated', 'to change', 'changed'],
  ['UsersMoved', 'to move', 'moved'],
  ['UsersDisabled', 'to disable', 'disabled'],
  ['UsersDeleted', 'to delete', 'deleted'],
  ['UsersUnchanged', 'unchanged', 'unchanged'],
  ['UsersLeftOut', 'left out', 'left out'],
];
/** The numbers that are printed also if they are 0. */
const always: readonly (keyof SyncTotals)[] = [
  'PrincipalsInserted',
  'PrincipalsUpdated',
  'PrincipalsUnchanged',
  'UsersRegistered',
  'UsersUpdated',
  'UsersUnchanged',
];

/** Prints what a file has done with principals and users, or would do. */
export function printTotals(totals: Partial<SyncTotals>, { dryRun = false } = {}): void {
  const text = (parts: readonly Part[]) =>
    parts
      .filter(([name]) => always.includes(name) || (totals[name] ?? 0) > 0)
      .map(([name, planned, done]) => `${grouped(totals[name] ?? 0)} ${dryRun ? planned : done}`)
      .join(', ');
  tell(`  Principals: ${text(ofPrincipals)}.`, `  Users: ${text(ofUsers)}.`);
  const { UsersInvited = 0 } = totals;
  if (UsersInvited > 0)
    tell(`  ${dryRun ? 'To invite' : 'Invited'} to choose a password: ${counted(UsersInvited, 'user')}.`);
}

/** Prints the totals of an import, and the number of passwords that it has not used, or would not use. */
export function printImportTotals(
  totals: ImportTotals,
  { purpose, existing }: ImportTask,
  { dryRun = false } = {},
): void {
  if (purpose === 'reset') return;
  printTotals(totals, { dryRun });
  const { PasswordsNotUsed } = totals;
  // Without an update, the line about skipped rows says it.
  if (PasswordsNotUsed === 0 || existing === 'refuse') return;
  const were = dryRun ? 'would not be' : PasswordsNotUsed === 1 ? 'was not' : 'were not';
  tell(
    `  ${counted(PasswordsNotUsed, 'password')} in the file ${were} used, because --update keeps the passwords of existing users. To change them, use "anagrafe reset" or, for hashes, irs/upsert with passwords=overwrite.`,
  );
}
