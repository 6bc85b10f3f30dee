import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, expectOneLine, inProcess, usedFolder } from '@anagrafe/testing/command';
import { dataParent } from '@anagrafe/testing/data-parent';
import { atEnd } from '@anagrafe/testing/endings';
import { insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import { expect, it } from 'vitest';
import { findMasterKeys, openExistingKeyRing } from '../../src/settings/master-key-file.ts';
import { webhookName } from '../../src/webhooks/webhook.ts';

it('a backup from before a rotation is restored with the former key, and the rotation can be repeated', async () => {
  const backups = mkdtempSync(join(dataParent(), 'anagrafe-backups-'));
  atEnd(async () => rmSync(backups, { recursive: true, force: true }));
  const data = await usedFolder();
  const settings = { ANAGRAFE_DATA: data };
  const former = readFileSync(join(data, 'master.key'), 'utf8');
  const service = await startTestService(settings, { embedded: true });
  await insertPrincipals(service, 2);
  const { id, secret } = await subscribe(service, 'https://example.com/');
  expect(await inProcess(['backup', backups, '--encrypt'], settings)).toMatchObject({ code: 0 });
  expect(await inProcess(['key', 'rotate'], settings)).toMatchObject({ code: 0 });
  await insertPrincipals(service, 3);
  await service.stop();
  const keys = readFileSync(join(data, 'master.key'), 'utf8');
  const [fresh = ''] = keys.split('\n');
  expect(keys).toBe(`${fresh}\n${former}`);

  const restored = dataFolder();
  const there = { ANAGRAFE_DATA: restored };
  const keyFile = join(restored, 'master.key');
  writeFileSync(keyFile, `${fresh}\n`);
  expectOneLine(
    await inProcess(['restore', backups], there),
    /needs the master key with the fingerprint [0-9a-f]{8}, but the settings have the one with [0-9a-f]{8}/,
  );
  copyFileSync(join(data, 'master.key'), keyFile);
  expect(await inProcess(['restore', backups], there)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/2 principals and 0 users[\s\S]*Audit log verified/),
  });

  const again = await startTestService(there, { embedded: true });
  expect(await inProcess(['key', 'rotate'], there)).toMatchObject({ code: 0 });
  // The key of the interrupted rotation was never in use in this database, and is not generated again.
  expect(readFileSync(keyFile, 'utf8')).toBe(keys);
  writeFileSync(keyFile, `${fresh}\n`);
  const keyRing = await openExistingKeyRing(await findMasterKeys(again.config), again.config, again.database);
  const [webhook] = await again.database.query<{ secret: Buffer }>('select secret from anagrafe.webhooks');
  expect(keyRing.decryptSecret(webhook?.secret ?? Buffer.alloc(0), webhookName(id))).toBe(secret);
  await again.stop();
  expect(await inProcess(['audit', 'verify'], there)).toMatchObject({ code: 0 });
});
