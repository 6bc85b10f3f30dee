import type { StateRecord, Tuple } from '@anagrafe/client';
import { Command } from 'commander';
import { type ConnectionOptions, reach, withConnection } from './connection.ts';
import { readCount } from './numbers.ts';
import { exitCodes, print, tell } from './output.ts';

interface StateOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export function stateCommand(): Command {
  const command = new Command('state').description('disable and enable principals and users');
  for (const [name, state, what] of [
    ['disable', 'disabled', 'shut out a principal with all its users, or some of its users alone'],
    ['enable', 'active', 'let a principal, or some of its users, sign in again'],
  ] as const) {
    const setting = command
      .command(name)
      .description(what)
      .argument('<principal-id>', 'the ID of the principal', readCount)
      .argument('[user-id...]', 'IDs of users of it; without any it is the principal', readCounts)
      .option('--json', 'the tuple as JSON');
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
  for (const fault of faultsIn(tuple, record)) tell(`anagrafe: ${fault}`);
}

/** What befell the record as a whole has no place in it. */
function faultsIn({ Item4, Item5 }: Tuple, record: StateRecord): string[] {
  const faults = Object.entries(Item5).flatMap(([place, some]) =>
    some.map(({ code, message }) => `${whoIs(place, record)}: ${message} (${code})`),
  );
  return faults.length > 0 ? faults : [Item4 ?? 'it was not applied'];
}

function inWords({ ID, State, Users }: StateRecord): string {
  const state = State ?? Users?.[0]?.State;
  const [only, ...others] = (Users ?? []).map((user) => user.ID);
  if (only === undefined) return `Principal ${ID} is ${state}.`;
  if (others.length === 0) return `User ${only} of principal ${ID} is ${state}.`;
  return `Users ${[only, ...others].join(', ')} of principal ${ID} are ${state}.`;
}

/** In the words of the command line, which knows no positions. */
function whoIs(place: string, { ID, Users }: StateRecord): string {
  const [, position] = /^Users\[(\d+)\]/.exec(place) ?? [];
  const user = position === undefined ? undefined : Users?.[Number(position)];
  return user ? `user ${user.ID}` : `principal ${ID}`;
}
