import { range } from '@anagrafe/testing/records';
import { expect, it } from 'vitest';
import { expectToFit, newUser, send, shapes, startProbed, ways } from './large-bodies.ts';

it('calls with 50,000 users, as a dry run and as a job, fit into a small heap and free their memory', async () => {
  const [ofOne, ofMany] = shapes;
  const [dryRun, job] = ways;
  // The rounds send each shape in both ways.
  await expectToFit([
    { shape: ofOne, by: [job] },
    { shape: ofMany, by: [dryRun] },
  ]);
});

it('a record with 10,000 invalid users gets 422 as a dry run and 202 as a job', async () => {
  const probed = await startProbed();
  const wrong = { Email: 'no address', ConfirmPassword: 'another' };
  const Users = range(10_000).map((n) => ({ ...newUser(n), ...wrong }));
  const body = Buffer.from(JSON.stringify([{ ID: 1, Users }]));
  for (const way of ways) expect(await send(probed, body, way)).toBe(way.whenWrong);
});

/** Users of whom each has 20 attributes, and almost no two have the same names. Written as text: objects would be slow. */
function usersWithOtherNames(): Buffer {
  const userText = (n: number) => {
    const names = range(20).map((attribute) => `"name${(n * 7 + attribute * 491) % 9900}":"x"`);
    return `${JSON.stringify(newUser(n)).slice(0, -1)},"Attributes":{${names.join(',')}}}`;
  };
  const records = range(200).map((record) => {
    const userTexts = range(100).map((at) => userText(record * 100 + at));
    return `{"ExternalKey":"key ${record}","Denomination":"Principal","Users":[${userTexts.join(',')}]}`;
  });
  return Buffer.from(`[${records.join(',')}]`);
}

it('users with attributes of other names fit into a heap of 160 MB', async () => {
  const probed = await startProbed(160);
  const dryRun = { query: '?dryRun=true', prefer: '' };
  expect(await send(probed, usersWithOtherNames(), dryRun, 'upsert')).toBe(200);
});
