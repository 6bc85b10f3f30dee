import { Command, Option } from 'commander';
import { withConnection } from '../connection.ts';
import { similarOption, withFileOptions, withInviteOptions } from '../import-file.ts';
import { syncFile } from '../sync-run.ts';

export function syncCommand(): Command {
  const command = new Command('sync')
    .argument('<file>', 'path of the file: the users of some principals, one row each')
    .description('make principals and their users equal to a file, after showing what would change')
    .addOption(
      new Option(
        '--missing <action>',
        'what happens to users of these principals that the file does not have',
      )
        .choices(['keep', 'disable', 'delete'])
        .default('keep'),
    )
    .addOption(
      new Option(
        '--missing-principals <action>',
        'what happens to active principals that the file does not have: their number is reported, or they are disabled',
      )
        .choices(['keep', 'report', 'disable'])
        .default('report'),
    )
    .addOption(similarOption())
    .option(
      '--partial',
      'apply a principal without the users that have errors; otherwise it is left out with all of its users',
    )
    .option(
      '--generate-passwords <file>',
      'generate the passwords of new users that have none, into this file',
    )
    .option('--clear-empty', 'clear a field if its cell is empty; otherwise it stays', false)
    .option('--dry-run', 'show the changes and stop')
    .option('--yes', 'apply the changes without asking')
    .option('--all', 'show all changes, not only the first 200');
  withInviteOptions(withFileOptions(command)).option('--json', 'print the changes and the result as JSON');
  return withConnection(command)
    .addHelpText(
      'after',
      `
The columns are those of "import". A row names its principal by ExternalKey or ID; if it has both, they must belong to
the same principal. Principals that the file does not have stay as they are, and are listed, unless you use
--missing-principals disable. A user that exists under another principal is moved, with its ID and password, and its
sessions end. Passwords of existing users stay; new users need a Password or PasswordHash, --generate-passwords or
--invite, with which they choose one with a code. Users that exist are not invited again. A principal fails if it is
new and looks like another one: see "import". With --partial, a principal is applied without the users that have
errors; these are listed, stay as they are, and are not missing. A disabled user that the file has
stays disabled: to enable it, add a column State with the value active, or use "anagrafe user enable".
The command prints how it reads the columns and what looks wrong in the values, as "import" does. It compares the whole
file with the stored data, prints the changes, and applies exactly these, after a question or with --yes. If the data
changes in between, the part of the file that it concerns is refused; run the command again. With --yes, a file that
would disable, delete or move more than 20 users, and more than ANAGRAFE_MAX_REMOVALS percent (a setting of this
command, 10 by default) of the users of its principals, or of one of them, is refused.
The exit code is 0 if all records were applied, 3 if some failed, 1 after another error, 130 after Ctrl-C.

Examples:
  anagrafe sync customers.csv --dry-run
  anagrafe sync customers.csv --missing disable
  anagrafe sync customers.csv --missing disable --missing-principals disable
  anagrafe sync customers.csv --invite code --codes codes.csv
  anagrafe sync customers.csv --missing delete --clear-empty --yes`,
    )
    .action(syncFile);
}
