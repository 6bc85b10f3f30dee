import type { Principal, UserOfPrincipal } from '@anagrafe/client';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { readTags } from '../field-options.ts';
import { readCount } from '../output/format.ts';
import { printPages, type RowOptions, withRows } from '../output/rows.ts';
import { type Column, toTheMinute } from '../output/table.ts';

interface ListOptions extends ConnectionOptions, RowOptions {
  readonly users?: boolean;
  readonly search?: string;
  readonly id?: number;
  readonly externalKey?: string;
  readonly tags?: string[];
  readonly username?: string;
  readonly email?: string;
  readonly name?: string;
  readonly state?: 'active' | 'disabled';
  readonly neverSignedIn?: boolean;
  readonly since?: string;
}

/** Options that filter users and need `--users`. */
const userOptions = ['username', 'email', 'name', 'state', 'neverSignedIn'] as const;

export function listCommand(): Command {
  const command = new Command('list')
    .description('list principals, or users with --users, by ID')
    .option('--users', 'list users instead of principals')
    .option('--search <text>', 'show only results with a word, or a username, that begins with this text')
    .option('--id <id>', 'show only the principal with this ID, or its users', readCount)
    .option('--external-key <key>', 'show only the principal with this ExternalKey, or its users')
    .option('--tags <tags>', 'show only principals with one of these tags, or their users', readTags)
    .option('--username <username>', 'show only the user with this username; requires --users')
    .option('--email <address>', 'show only users with this email address; requires --users')
    .option(
      '--name <text>',
      'show only users with a first or last name that begins with this; requires --users',
    )
    .addOption(
      new Option('--state <state>', 'show only users in this state; requires --users').choices([
        'active',
        'disabled',
      ]),
    )
    .option('--never-signed-in', 'show only users that have never signed in; requires --users')
    .option('--since <date>', 'show only changes since a date: 2026-01-31 or 2026-01-31T08:00:00Z', readDate);
  return withConnection(withRows(command, 100))
    .addHelpText('after', () => `\n${columnText()}\n\nExample:\n  anagrafe list --users --search mario`)
    .action(list);
}

function isUserOption(name: string): boolean {
  return (userOptions as readonly string[]).includes(name);
}

/** Checks only the form of the date. The service validates the rest. */
function readDate(text: string): string {
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Expected a date such as 2026-01-31 or 2026-01-31T08:00:00Z.');
}

async function list(options: ListOptions, command: Command): Promise<void> {
  const unusable = command.options.find(
    (option) =>
      isUserOption(option.attributeName()) && command.getOptionValue(option.attributeName()) !== undefined,
  );
  if (unusable && !options.users) command.error(`error: option '${unusable.flags}' requires --users`);
  const { anagrafe } = await reach(options);
  const { search: Search = null, id: ID = null, externalKey: ExternalKey = null } = options;
  const { tags: Tags = null, since = null } = options;
  const filter = { Search, ID, ExternalKey, Tags, Date: since };
  if (!options.users) {
    const pages = (PageSize: number) => anagrafe.list({ ...filter, PageSize });
    // A page is small, because each principal may include a thousand users.
    return printPages(options, { pageSize: 100, columns: principalColumns, pages });
  }
  const { username = null, email = null, name = null, state = null, neverSignedIn = null } = options;
  const ofUsers = {
    Username: username,
    Email: email,
    Name: name,
    State: state,
    NeverSignedIn: neverSignedIn,
  };
  const pages = (PageSize: number) => anagrafe.users({ ...filter, ...ofUsers, PageSize });
  return printPages(options, { pageSize: 1000, columns: userColumns, pages });
}

const principalColumns: readonly Column<Principal>[] = [
  { head: 'ID', side: 'right', whole: true, cell: ({ ID }) => String(ID) },
  { head: 'Name', cell: nameOf },
  { head: 'Users', side: 'right', cell: ({ UsersCount }) => String(UsersCount) },
  { head: 'State', whole: true, cell: ({ State }) => State },
  { head: 'External key', cell: ({ ExternalKey }) => ExternalKey ?? '' },
  { head: 'Email', cell: ({ Email }) => Email ?? '' },
  { head: 'Updated', whole: true, ...moment(({ UpdatedAt }) => UpdatedAt) },
  { head: 'Tags', cell: ({ Tags }) => (Tags ?? []).join(' ') },
];

const userColumns: readonly Column<UserOfPrincipal>[] = [
  { head: 'ID', side: 'right', whole: true, cell: ({ ID }) => String(ID) },
  { head: 'Principal', side: 'right', whole: true, cell: ({ IRID }) => String(IRID) },
  { head: 'Username', cell: ({ Username }) => Username },
  { head: 'State', whole: true, cell: ({ State }) => State },
  { head: 'Email', cell: ({ Email }) => Email ?? '' },
  { head: 'Name', cell: ({ FirstName, LastName }) => [FirstName, LastName].filter(Boolean).join(' ') },
  { head: 'Company', cell: ({ Denomination }) => Denomination ?? '' },
  { head: 'Last login', whole: true, ...moment(({ LastLoginAt }) => LastLoginAt) },
];

function nameOf({ Denomination, Surname, Name }: Principal): string {
  return Denomination ?? [Surname, Name].filter(Boolean).join(' ');
}

function moment<Row>(of: (row: Row) => string | null): Pick<Column<Row>, 'cell' | 'shown'> {
  return { cell: (row) => of(row) ?? '', shown: (row) => toTheMinute(of(row)) };
}

/** Returns the help text that lists the columns for scripts that split the lines at tabs. */
function columnText(): string {
  const heads = (columns: readonly { head: string }[]) => columns.map(({ head }) => head).join(', ');
  return [
    'If the output is not a terminal, the columns are separated by tabs and have no header:',
    `  principals: ${heads(principalColumns)}`,
    `  users: ${heads(userColumns)}`,
  ].join('\n');
}
