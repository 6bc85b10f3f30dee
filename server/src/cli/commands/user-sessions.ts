import type { UserSession } from '@anagrafe/client';
import { Command, Option } from 'commander';
import { reach, withConnection } from '../connection.ts';
import { findUser, type UserOptions, userKeys, withLookup } from '../lookup.ts';
import { print, tell } from '../output/output.ts';
import { printPages, type RowOptions, withRows } from '../output/rows.ts';
import { type Column, toTheMinute } from '../output/table.ts';

interface SessionsOptions extends Omit<UserOptions, 'json'>, RowOptions {
  readonly end?: string;
  readonly endAll?: boolean;
}

export function sessionsCommand(): Command {
  const command = new Command('sessions')
    .argument('<user>', 'username, email address or ID of the user')
    .description('list the sessions of a user, or end them')
    .option('--end <session-id>', 'end this session')
    .addOption(new Option('--end-all', 'end all sessions: the user must sign in again').conflicts('end'));
  return withConnection(withLookup(withRows(command, 100), userKeys, '<user>'))
    .addHelpText(
      'after',
      '\nThe API client needs the scope admin.' +
        '\n\nExamples:\n  anagrafe user sessions mario.rossi\n  anagrafe user sessions mario.rossi --end-all',
    )
    .action(sessions);
}

async function sessions(text: string, options: SessionsOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  const { ID, Username } = await findUser(anagrafe, text, options.by);
  const { sessions } = anagrafe.admin;
  if (!options.endAll && options.end === undefined)
    return printPages(options, {
      pageSize: 1000,
      columns,
      pages: (pageSize) => sessions.list(ID, { pageSize }),
    });
  let ended = 1;
  if (options.end === undefined) ended = await sessions.endAll(ID);
  else await sessions.end(ID, options.end);
  if (options.json) return print(JSON.stringify({ ID, ended }));
  tell(`Ended ${ended} ${ended === 1 ? 'session' : 'sessions'} of user ${ID} (${Username}).`);
}

const columns: readonly Column<UserSession>[] = [
  { head: 'Session', whole: true, cell: ({ ID }) => ID },
  moment('Signed in', ({ SignedInAt }) => SignedInAt),
  moment('Refreshed', ({ RefreshedAt }) => RefreshedAt),
  moment('Expires', ({ ExpiresAt }) => ExpiresAt),
];

function moment(head: string, of: (session: UserSession) => string): Column<UserSession> {
  return { head, whole: true, cell: of, shown: (session) => toTheMinute(of(session)) };
}
