import type { ImportTotals } from '@anagrafe/importer';
import type { ImportTask } from '@anagrafe/importer/node';
import { counted, grouped } from './output/format.ts';
import { tell } from './output/output.ts';

/** The totals for `--json`. A reset has none. */
export function totalsOf(totals: ImportTotals, { purpose }: ImportTask): Partial<ImportTotals> {
  return purpose === 'register' ? totals : {};
}

/** Prints how many principals and users an import has created, changed and left unchanged, or would. */
export function printTotals(
  totals: ImportTotals,
  { purpose, existing }: ImportTask,
  { dryRun = false } = {},
): void {
  if (purpose === 'reset') return;
  const [create, register, change, move] = dryRun
    ? ['to create', 'to register', 'to change', 'to move']
    : ['created', 'registered', 'changed', 'moved'];
  const part = (created: number, word: string | undefined, changed: number, unchanged: number) =>
    `${grouped(created)} ${word}, ${grouped(changed)} ${change}, ${grouped(unchanged)} unchanged`;
  const { PrincipalsInserted, PrincipalsUpdated, PrincipalsUnchanged } = totals;
  const { UsersRegistered, UsersUpdated, UsersMoved, UsersUnchanged, PasswordsNotUsed, UsersInvited } =
    totals;
  tell(`  Principals: ${part(PrincipalsInserted, create, PrincipalsUpdated, PrincipalsUnchanged)}.`);
  const moved = UsersMoved > 0 ? `, ${grouped(UsersMoved)} ${move}` : '';
  tell(`  Users: ${part(UsersRegistered, register, UsersUpdated, UsersUnchanged)}${moved}.`);
  if (UsersInvited > 0)
    tell(`  ${dryRun ? 'To invite' : 'Invited'} to choose a password: ${counted(UsersInvited, 'user')}.`);
  // Without an update, the line about skipped rows says it.
  if (PasswordsNotUsed === 0 || existing === 'refuse') return;
  const were = dryRun ? 'would not be' : PasswordsNotUsed === 1 ? 'was not' : 'were not';
  tell(
    `  ${counted(PasswordsNotUsed, 'password')} in the file ${were} used, because --update keeps the passwords of existing users. To change them, use "anagrafe reset" or, for hashes, irs/upsert with passwords=overwrite.`,
  );
}
