import { randomUUID } from 'node:crypto';
import { adminOf } from '@anagrafe/testing/admin';
import { insertPrincipal, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { planUndo, sendApplied, stored, undo } from './undo.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const applied = async (run: string | null, operation: string, record: object) =>
  (await sendApplied(service, run, operation, record)).id;

const principalOf = async (id: number) => {
  const { body } = await service.call('irs/list', { ID: id });
  return body.result?.records[0] as unknown as Record<string, unknown>;
};

/** Merges a principal into another one, which gets its key as an alias. */
async function merged() {
  const [to, from] = [await insertPrincipal(service, {}), await insertPrincipal(service, {})];
  await applied(null, 'merge', { ID: to.id, From: { ID: from.id } });
  return { id: to.id, key: to.key, alias: from.key };
}

describe('the undo of a run', () => {
  it('keeps the last field of a principal, which would otherwise have none', async () => {
    const run = randomUUID();
    const id = await applied(null, 'insert', { Denomination: 'Only' });
    await applied(run, 'update', { ID: id, Vatnumber: 'IT1', Taxcode: 'T1' });
    await applied(null, 'update', { ID: id, Denomination: '' });
    const { tuples, RecordsFailed } = await undo(service, run);
    expect(RecordsFailed).toBe(0);
    const [{ Kept = [], Changes = [] } = {}] = tuples.map(({ Item6 }) => Item6);
    expect([...Kept, ...Changes].map(({ Field }) => Field).sort()).toEqual(['Taxcode', 'Vatnumber']);
    expect(Kept.map(({ Reason }) => Reason)).toEqual(['last']);
    const { Vatnumber, Taxcode } = await principalOf(id);
    expect([Vatnumber, Taxcode].filter((value) => value !== null)).toHaveLength(1);
  });

  it('makes the key that the run has taken from the aliases an alias again', async () => {
    const { id, key, alias } = await merged();
    const before = await stored(service);
    const run = randomUUID();
    await applied(run, 'update', { ID: id, NewExternalKey: alias });
    expect(await principalOf(id)).toMatchObject({ ExternalKey: alias });
    const { tuples } = await undo(service, run);
    expect(tuples[0]?.Item6).toMatchObject({
      Principal: 'updated',
      Changes: [
        { Field: 'ExternalKey', From: alias, To: key },
        { Field: 'Aliases', From: null, To: alias },
      ],
    });
    expect(await principalOf(id)).toMatchObject({ ExternalKey: key, Aliases: [alias] });
    expect(await stored(service)).toEqual(before);
    const { body } = await service.call('irs/list', { ExternalKey: alias });
    expect(body.result?.records).toMatchObject([{ ID: id }]);
  });

  it('says that an alias is lost which is no longer the key', async () => {
    const { id, key, alias } = await merged();
    const run = randomUUID();
    const other = unique('key');
    await applied(run, 'update', { ID: id, NewExternalKey: alias });
    await applied(run, 'update', { ID: id, NewExternalKey: other });
    const { tuples } = await undo(service, run);
    expect(tuples[0]?.Item6).toMatchObject({
      Changes: [{ Field: 'ExternalKey', From: other, To: key }],
      Kept: [{ Field: 'Aliases', Reason: 'changed' }],
    });
    expect((await principalOf(id)).Aliases).toBeUndefined();
  });

  it('restores a key that is an alias of the same principal by now, and keeps one that names another', async () => {
    const [one, two] = [await insertPrincipal(service, {}), await insertPrincipal(service, {})];
    const run = randomUUID();
    for (const { id } of [one, two]) await applied(run, 'update', { ID: id, NewExternalKey: unique('new') });
    const source = await applied(null, 'insert', { ExternalKey: one.key });
    await applied(null, 'merge', { ID: one.id, From: { ID: source } });
    await applied(null, 'insert', { ExternalKey: two.key });
    const { tuples } = await undo(service, run);
    const kept = tuples.map(({ Item1, Item6 }) => [Item1, Item6.Kept]);
    expect(kept).toEqual([
      [one.id, undefined],
      [two.id, [{ Field: 'ExternalKey', Reason: 'taken' }]],
    ]);
    expect(await principalOf(one.id)).toMatchObject({ ExternalKey: one.key });
  });

  it('is repeated after its time with the same answer, and finds the run by an ID in upper case', async () => {
    const run = randomUUID();
    const id = await applied(run, 'insert', { Denomination: 'Late' });
    const { Plan } = await planUndo(service, run.toUpperCase());
    const headers = {
      prefer: 'return=representation',
      'idempotency-key': randomUUID(),
      'if-match': `"${Plan}"`,
    };
    const apply = (path: string) => adminOf(service)(`POST runs/${path}/undo`, headers);
    const first = await apply(run);
    expect([first.status, await principalOf(id)]).toEqual([200, undefined]);
    await service.database.query(
      `update anagrafe.runs set started_at = now() - interval '31 days' where id = $1`,
      [run],
    );
    const again = await apply(run.toUpperCase());
    expect([again.status, again.body.result?.records]).toEqual([200, first.body.result?.records]);
    const { body } = await adminOf(service)(`GET runs/${run.toUpperCase()}`, {});
    expect(body.result?.record).toMatchObject({ ID: run, UndoneAt: expect.any(String) });
  });
});
