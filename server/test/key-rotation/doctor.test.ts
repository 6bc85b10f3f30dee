import { randomBytes } from 'node:crypto';
import { type ChildStore, childStore } from '@anagrafe/testing/child';
import { inProcess } from '@anagrafe/testing/command';
import { masterKey } from '@anagrafe/testing/store';
import { expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import type { Finding } from '../../src/cli/doctor/findings.ts';
import { KeyRing } from '../../src/encryption/key-ring.ts';
import { encryptAgain, rotate } from '../../src/key-rotation/key-rotation.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openExistingKeyRing, shortId } from '../../src/settings/master-key-file.ts';

const old = Buffer.from(masterKey, 'base64');
const fresh = randomBytes(32);
const idOf = (key: Buffer) => shortId(new KeyRing(key).identity);

/** Returns what doctor finds about the master key with these keys in the settings. */
async function doctor({ url }: ChildStore, ...keys: Buffer[]): Promise<Finding | undefined> {
  const { stdout } = await inProcess(['doctor', '--json'], {
    ANAGRAFE_DATABASE_URL: url,
    ANAGRAFE_MASTER_KEY: keys.map((key) => key.toString('base64')).join(),
  });
  return (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'master key');
}

it('doctor finds at which step a rotation of the master key stopped', async () => {
  const store = await childStore();
  expect(await doctor(store, old)).toMatchObject({ severity: 'ok', code: 'master_key_valid' });
  expect(await doctor(store, fresh, old)).toMatchObject({
    severity: 'warning',
    code: 'master_key_not_rotated',
    fields: { key: idOf(fresh) },
  });
  const keyRing = await openExistingKeyRing([fresh, old], readConfig(store.settings), store.database);
  await rotate(store.database, keyRing, operatorActor);
  expect(await doctor(store, fresh, old)).toMatchObject({
    severity: 'warning',
    code: 'master_key_rotating',
    fields: { key: idOf(old) },
  });
  expect(await doctor(store, fresh)).toMatchObject({
    severity: 'error',
    code: 'master_key_needed',
    fields: { problem: expect.stringContaining(`lacks the former key ${idOf(old)}`) },
  });
  expect(await doctor(store, old)).toMatchObject({ severity: 'error', code: 'master_key_former' });
  while (!(await encryptAgain(store.database, keyRing)).complete);
  for (const keys of [[fresh, old], [fresh]])
    expect(await doctor(store, ...keys)).toMatchObject({ severity: 'ok', code: 'master_key_valid' });
});
