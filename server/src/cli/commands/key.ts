import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { operatorActor } from '../../audit/audit-log.ts';
import type { Database } from '../../db/database.ts';
import { readMasterKeys } from '../../db/master-keys.ts';
import type { KeyRing, MasterKeys } from '../../encryption/key-ring.ts';
import { encryptAgain, inRotation, isRotating, rotate } from '../../key-rotation/key-rotation.ts';
import type { Config } from '../../settings/config.ts';
import {
  addMasterKey,
  findMasterKeys,
  openExistingKeyRing,
  shortId,
} from '../../settings/master-key-file.ts';
import { withKeyRing } from '../database.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

type KeyOptions = SettingsOptions & { readonly json?: boolean };

export function keyCommand(): Command {
  const command = new Command('key').description('manage the master key');

  command
    .command('list')
    .description('list the master keys of the database and of the settings')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe key list')
    .action(list);

  command
    .command('rotate')
    .description('put a new master key into use, and encrypt all stored secrets with it')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nThe service continues to work. With a key file, the command adds a new key to it. With ANAGRAFE_MASTER_KEY, put the new' +
        '\nkey before the present one, separated by a comma, on every node, and restart the nodes one after the other; then run' +
        '\nthis command once. An interrupted command can be repeated.' +
        '\n\nExample:\n  anagrafe key rotate',
    )
    .action(replace);
  return command;
}

/** The state of a master key in the output of `key list`. */
type State = 'in use' | 'new' | 'still needed' | 'no longer needed';

interface ListedKey {
  readonly id: string;
  readonly state: State;
  /** True if the settings have the key. */
  readonly held: boolean;
  readonly replacedAt: Date | null;
}

function listKeys({ current, former }: MasterKeys, keyRing: KeyRing): ListedKey[] {
  const known = [current, ...former.map(({ identity }) => identity)];
  const fresh = keyRing.identities.filter((identity) => !known.some((other) => other.equals(identity)));
  const listed = (identity: Buffer, state: State, replacedAt: Date | null = null) => {
    return { id: shortId(identity), state, held: keyRing.holds(identity), replacedAt };
  };
  return [
    ...fresh.map((identity) => listed(identity, 'new')),
    listed(current, 'in use'),
    ...former
      .toReversed()
      .map(({ identity, retiredAt, replacedAt }) =>
        listed(identity, retiredAt ? 'no longer needed' : 'still needed', replacedAt),
      ),
  ];
}

function list({ json, ...settings }: KeyOptions): Promise<void> {
  const config = configFor(settings);
  return withKeyRing(config, async (keyRing, database) => {
    const stored = await readMasterKeys(database, { recentHours: 0 });
    const keys = stored ? listKeys(stored, keyRing) : [];
    if (json) return print(JSON.stringify(keys));
    for (const { id, state, held, replacedAt } of keys) {
      const since = replacedAt ? `, replaced at ${replacedAt.toISOString()}` : '';
      print(`${id}  ${state}${held ? '' : ', not in the settings'}${since}`);
    }
  });
}

/** Pause between two runs that look for values with a former key, in milliseconds. */
const pauseMs = 2000;

function replace({ json, ...settings }: KeyOptions): Promise<void> {
  const config = configFor(settings);
  return withKeyRing(config, async (opened, database) => {
    const keyRing = (await isRotating(database)) ? opened : await rotated(opened, config, database);
    const id = shortId(keyRing.identity);
    if (!json) tell(`The key ${id} is in use. Encrypting the stored secrets with it.`);
    let result = await encryptAgain(database, keyRing);
    let { encrypted } = result;
    while (!result.complete) {
      await sleep(pauseMs);
      result = await encryptAgain(database, keyRing);
      encrypted += result.encrypted;
    }
    const { unreadable } = result;
    if (json) return print(JSON.stringify({ id, encrypted, unreadable }));
    print(`Encrypted again: ${encrypted}. The earlier key is no longer needed.`);
    if (unreadable > 0) print(`Left as they are, because no key decrypts them: ${unreadable}.`);
    tell(
      config.MASTER_KEY === null
        ? 'Copy master.key to where you keep it. Its last lines are the earlier keys, for backups from before.'
        : 'Remove the earlier key from the settings of the nodes, and keep it as long as backups from before.',
    );
  });
}

/** Puts a new key into use: that of the setting, or one that is added to the key file. */
function rotated(opened: KeyRing, config: Config, database: Database): Promise<KeyRing> {
  return inRotation(database, async () => {
    if (config.MASTER_KEY === null) await addMasterKey(config, opened.identity);
    const keyRing = await openExistingKeyRing(await findMasterKeys(config), config, database);
    await rotate(database, keyRing, operatorActor);
    return keyRing;
  });
}
