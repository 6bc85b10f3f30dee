import type { StateRecord, Tuple } from '@anagrafe/client';
import { Command } from 'commander';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { readCount } from '../output/format.ts';
import { exitCodes, print, tell } from '../output/output.ts';

interface StateOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export function stateCommand(): Command {
  const command = new Command('state').description('enable or disable principals and users');
  for (const [name, state, what] of [
    ['disable', 'disabled', 'block sign-in for all users of a principal, or for some of them'],
    ['enable', 'active', 'allow sign-in again for a principal, or for some of its users'],
  ] as const) {
    const setting = command
      .command(name)
      .description(what)
      .argument('<principal-id>', 'ID of the principal', readCount)
      .argument('[user-id...]', 'IDs of its users; if omitted, the principal itself is changed', readCounts)
      .option('--json', 'print the result, a tuple of the API, as JSON');
    withConnection(setting)
      .addHelpText('after', `\nExample:\n  anagrafe state ${name} 1 7 8`)
      .action((principalId: number, userIds: number[] | undefined, options: StateOptions) =>
        setState(recordOf(principalId, userIds ?? [], state), options),
      );
  }
  return command;
}

function readCounts(text: string, before: number[] | undefined): number[] {
  return [...(before ?? []), readCount(text)];
}

function recordOf(ID: number, userIds: readonly number[], State: 'active' | 'disabled'): StateRecord {
  return userIds.length === 0 ? { ID, State } : { ID, Users: userIds.map((id) => ({ ID: id, State })) };
}

async function setState(record: StateRecord, options: StateOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  const { tuples } = await anagrafe.setStates([record]);
  const [tuple] = tuples as [Tuple];
  if (!tuple.Item3) process.exitCode = exitCodes.trouble;
  if (options.json) return print(JSON.stringify(tuple));
  if (tuple.Item3) return tell(inWords(record));
  for (const error of errorsIn(tuple, record)) tell(`anagrafe: ${error}`);
}

/** Returns the field errors of the record, or its message if the error concerns no field. */
function errorsIn({ Item4, Item5 }: Tuple, record: StateRecord): string[] {
  const errors = Object.entries(Item5).flatMap(([path, some]) =>
    some.map(({ code, message }) => `${subjectOf(path, record)}: ${message} (${code})`),
  );
  return errors.length > 0 ? errors : [Item4 ?? 'The change was not applied.'];
}

function inWords({ ID, State, Users }: StateRecord): string {
  const state = State ?? Users?.[0]?.State;
  const [only, ...others] = (Users ?? []).map((user) => user.ID);
  if (only === undefined) return `Principal ${ID} is ${state}.`;
  if (others.length === 0) return `User ${only} of principal ${ID} is ${state}.`;
  return `Users ${[only, ...others].join(', ')} of principal ${ID} are ${state}.`;
}

/** Names the user or the principal of a field path by its ID, as on the command line, which has no array indexes. */
function subjectOf(path: string, { ID, Users }: StateRecord): string {
  const [, index] = /^Users\[(\d+)\]/.exec(path) ?? [];
  const user = index === undefined ? undefined : Users?.[Number(index)];
  return user ? `user ${user.ID}` : `principal ${ID}`;
}
