import { createHash } from 'node:crypto';
import { newStore } from '@anagrafe/testing/store';
import { expect, it, onTestFinished } from 'vitest';
import { openChainWriter, readChain } from '../../src/audit/hash-chain.store.ts';
import type { Database } from '../../src/db/database.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore } from '../../src/store.ts';

const hash = (before: Buffer, position: number, text: string) =>
  createHash('sha256').update(before).update(`${position} ${text}`).digest();
const keys = { hashRow: hash, refresh: async () => undefined };

it('the chain writer adds rows to the hash chain after a transaction that was rolled back at its end', async () => {
  const made = await newStore();
  const store = await openStore(readConfig(made.settings), { mode: 'existing', log: () => {} });
  onTestFinished(async () => {
    await store.close();
    await made.discard();
  });
  const { database } = store;
  await database.query(`insert into anagrafe.audit_log (actor, action) values ('service', 'login')`);
  let rollsBack = true;
  const losing: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (connection) => {
        const result = await work(connection);
        if (rollsBack) throw new Error('Connection terminated unexpectedly');
        return result;
      }),
  };
  const extendChain = openChainWriter(losing, keys);
  await expect(extendChain()).rejects.toThrow('Connection terminated');
  rollsBack = false;
  expect(await extendChain()).toMatchObject({ more: false });
  expect((await readChain(database)).lastPosition).toBe(1);
});
