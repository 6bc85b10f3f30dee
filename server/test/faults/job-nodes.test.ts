import { expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { makeFolder } from '../engine/harness.ts';
import { importedUser } from '../setup/jobs.ts';
import { masterKey } from '../setup/store.ts';
import { type Child, startChild } from './child.ts';
import {
  countWrites,
  expectAppliedOnce,
  jobOf,
  leftOver,
  newPrincipals,
  newRecords,
  repeatedWrites,
  slowly,
  submit,
  untilEnded,
} from './jobs.ts';
import { startOutside } from './outside.ts';

const records = 12;
const hashed = 16;
/** With users that cost no time, so that each record makes a chunk of its own and both nodes find some. */
const imported = 240;

async function appliedBy(child: Child): Promise<number> {
  const metrics = await (await fetch(`${child.url}/metrics`)).text();
  return Number(
    /^anagrafe_records_total\{operation="update",outcome="applied"\} (\d+)/m.exec(metrics)?.[1] ?? 0,
  );
}

it('nodes that are started at once on an empty database all come up', async () => {
  const outside = await startOutside();
  const settings = { ANAGRAFE_DATABASE_URL: outside.url, ANAGRAFE_MASTER_KEY: masterKey };
  const nodes = await Promise.all([1, 2, 3].map(() => startChild(makeFolder(), settings)));
  for (const node of nodes) {
    expect((await fetch(`${node.url}/health/ready`)).status).toBe(200);
    expect(node.log.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);
  }
});

it('two nodes work on one job together, and when one is killed the other finishes it', async () => {
  const outside = await startOutside();
  const settings = { ...slowly, ANAGRAFE_DATABASE_URL: outside.url, ANAGRAFE_MASTER_KEY: masterKey };
  const nodes = await Promise.all([startChild(makeFolder(), settings), startChild(makeFolder(), settings)]);
  const [killed, left] = nodes;
  const sent = newRecords(await newPrincipals(killed, records), hashed).map(({ ID, Users }) => ({
    ID,
    Users: [...Users, ...Array.from({ length: imported }, (_, n) => importedUser(`imported ${ID}-${n}`))],
  }));
  const database = openDatabase({
    connection: { connectionString: outside.url },
    poolSize: 2,
    onLostConnection: () => {},
  });
  await countWrites(database);

  const id = await submit(killed, sent);
  await expect
    .poll(async () => Math.min(...(await Promise.all(nodes.map(appliedBy)))), { interval: 10 })
    .toBeGreaterThan(0);
  expect((await jobOf(left, id)).RecordsDone).toBeLessThan(records);
  expect(await killed.end('SIGKILL')).toBe('SIGKILL');

  const tuples = await untilEnded(left, id);
  expect(await appliedBy(left)).toBeGreaterThan(records / 2);
  await expectAppliedOnce(database, sent, tuples);
  expect(await repeatedWrites(database)).toEqual([]);
  expect(await leftOver(database)).toEqual([]);
  await database.close();
  expect(await left.end('SIGTERM')).toBe(0);
});
