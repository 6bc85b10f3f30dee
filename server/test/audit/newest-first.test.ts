import { allHashed } from '@anagrafe/testing/audit-chain';
import { registerUsers } from '@anagrafe/testing/login';
import { getText, insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { auditFields } from '../../src/audit/audit.routes.ts';
import type { CloudEvent } from '../../src/audit/events.ts';

type Row = ReturnType<typeof auditFields>;

interface Page<Item, Place> {
  readonly records: readonly Item[];
  readonly record: { readonly After: Place; readonly More: boolean };
}

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  await insertPrincipals(service, 3);
  ({ principal } = await registerUsers(service, ...Array.from({ length: 12 }, (_, n) => `user ${n}`)));
  await service.call('irs/list', { ID: principal });
  await service.call('irs/users', {});
  await service.call('irs/state', [{ ID: principal, State: 'disabled' }]);
  await service.call('irs/list', { ID: principal });
  await allHashed(service);
});

async function get(path: string, headers: Record<string, string> = {}) {
  const { status, text } = await getText(service, path, headers);
  return { status, body: JSON.parse(text) };
}

const audit = async (query: string): Promise<Page<Row, number>> =>
  (await get(`/admin/v1/audit?${query}`)).body.result;
const events = async (query: string): Promise<Page<CloudEvent, string | null>> =>
  (await get(`/api/sync/v1/events?${query}`)).body.result;

/** Reads all pages of a list in the order of the query, and returns their records. */
async function walk<Item, Place>(
  read: (query: string) => Promise<Page<Item, Place>>,
  query: string,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let after = ''; ; ) {
    const { records, record } = await read(`${query}${after}`);
    found.push(...records);
    if (!record.More) return found;
    after = `&after=${record.After}`;
  }
}

const positions = (rows: readonly Row[]) => rows.map(({ Position }) => Position);

describe('the audit log in the order newest', () => {
  it('has the same rows as in the order oldest, for any page size', async () => {
    const rows = await walk(audit, 'pageSize=1000');
    expect(rows.length).toBeGreaterThan(9);
    expect(await walk(audit, 'order=oldest&pageSize=4')).toEqual(rows);
    for (const pageSize of [1, 4, rows.length])
      expect(await walk(audit, `order=newest&pageSize=${pageSize}`)).toEqual(rows.toReversed());
  });

  it('joins with the order oldest without missing or repeated rows', async () => {
    const rows = await walk(audit, 'pageSize=1000');
    const half = Math.floor(rows.length / 2);
    const first = await audit(`pageSize=${half}`);
    const last = await audit(`order=newest&pageSize=${rows.length - half}`);
    expect([...first.records, ...last.records.toReversed()]).toEqual(rows);
    expect([first.record.More, last.record.More]).toEqual([true, true]);
    expect(last.record.After).toBe(first.record.After + 1);
    const rest = await audit(`order=newest&pageSize=${half}&after=${last.record.After}`);
    expect(rest.records).toEqual(first.records.toReversed());
    expect(rest.record).toEqual({ After: 1, More: false });
  });

  it('can be filtered by principal and without reads', async () => {
    const rows = await walk(audit, 'pageSize=1000');
    const mine = rows.filter(({ IRID }) => IRID === principal);
    const isWrite = ({ Action }: Row) => Action !== 'records.read';
    const writes = rows.filter(isWrite);
    expect(rows.length - writes.length).toBe(3);
    expect(mine.map(({ Action }) => Action)).toEqual([
      'insert',
      'update',
      'records.read',
      'state',
      'records.read',
    ]);
    for (const pageSize of [1, 3, 1000]) {
      const newest = `order=newest&pageSize=${pageSize}`;
      expect(await walk(audit, `${newest}&principal=${principal}`)).toEqual(mine.toReversed());
      expect(await walk(audit, `${newest}&reads=true`)).toEqual(rows.toReversed());
      expect(await walk(audit, `${newest}&reads=false`)).toEqual(writes.toReversed());
      expect(await walk(audit, `pageSize=${pageSize}&reads=false`)).toEqual(writes);
      const writesOfMine = await walk(audit, `${newest}&principal=${principal}&reads=false`);
      expect(writesOfMine).toEqual(mine.filter(isWrite).toReversed());
    }
  });

  it('starts at the newest row if after is beyond it, and is empty after the first row', async () => {
    const { records } = await audit('order=newest&pageSize=3');
    for (const after of [Number.MAX_SAFE_INTEGER, (records[0]?.Position ?? 0) + 1])
      expect((await audit(`order=newest&pageSize=3&after=${after}`)).records).toEqual(records);
    expect(positions((await audit('order=newest&after=3')).records)).toEqual([2, 1]);
    expect(await audit('order=newest&after=1')).toMatchObject({
      records: [],
      record: { After: 1, More: false },
    });
    expect(await audit('order=newest&principal=999999')).toMatchObject({
      records: [],
      record: { After: 0, More: false },
    });
  });
});

describe('events in the order newest', () => {
  it('are the same as in the order oldest, also if a page ends within a record', async () => {
    const all = await walk(events, 'pageSize=1000');
    expect(all.filter(({ type }) => type === 'user.registered')).toHaveLength(12);
    for (const pageSize of [1, 5, all.length])
      expect(await walk(events, `order=newest&pageSize=${pageSize}`)).toEqual(all.toReversed());
    const middle = all.findIndex(({ type }) => type === 'user.registered') + 5;
    const after = all[middle]?.id;
    expect((await events(`order=newest&after=${after}`)).records).toEqual(all.slice(0, middle).toReversed());
    expect((await events(`order=oldest&after=${after}`)).records).toEqual(all.slice(middle + 1));
  });

  it('start at the last event if after is beyond it, and are empty after the first event', async () => {
    const all = await walk(events, 'pageSize=1000');
    const beyond = await events('order=newest&after=999999.0&pageSize=2');
    expect(beyond).toMatchObject({ records: all.slice(-2).toReversed(), record: { After: all.at(-2)?.id } });
    const first = all[0]?.id;
    expect(await events(`order=newest&after=${first}`)).toMatchObject({
      records: [],
      record: { After: first, More: false },
    });
  });

  it('omit events that are older than 90 days', async () => {
    const all = await walk(events, 'pageSize=1000');
    const kept = all.slice(-3);
    const [position] = kept[0]?.id.split('.') ?? [];
    const age = (days: number) =>
      service.database.query(
        `update anagrafe.audit_log set at = at - make_interval(days => $1) where position < $2`,
        [days, position],
      );
    await age(91);
    try {
      expect((await events('order=newest')).records).toEqual(kept.toReversed());
      expect((await events('order=oldest')).records).toEqual(kept);
    } finally {
      await age(-91);
    }
  });

  it('are empty if all events are older than 90 days', async () => {
    const age = `update anagrafe.audit_log set at = at - make_interval(days => $1)`;
    await service.database.query(age, [91]);
    try {
      for (const order of ['newest', 'oldest'])
        expect(await events(`order=${order}`)).toMatchObject({ records: [], record: { More: false } });
    } finally {
      await service.database.query(age, [-91]);
    }
  });
});

describe('an invalid parameter of the audit log or of events', () => {
  it.each([
    [
      '/admin/v1/audit?order=latest',
      'Allowed values of "order": oldest, newest.',
      'Valori ammessi per "order": oldest, newest.',
    ],
    [
      '/admin/v1/audit?order=',
      'Allowed values of "order": oldest, newest.',
      'Valori ammessi per "order": oldest, newest.',
    ],
    ['/admin/v1/audit?reads=no', '"reads" must be true or false.', '"reads" deve essere true o false.'],
    [
      '/api/sync/v1/events?order=NEWEST',
      'Allowed values of "order": oldest, newest.',
      'Valori ammessi per "order": oldest, newest.',
    ],
    [
      '/api/sync/v1/events?order=newest&order=oldest',
      'Allowed values of "order": oldest, newest.',
      'Valori ammessi per "order": oldest, newest.',
    ],
    [
      '/api/sync/v1/events?order=newest&after=7',
      '"after" must be the ID of an event, such as 1042.0.',
      '"after" deve essere l\'ID di un evento, ad esempio 1042.0.',
    ],
    ['/api/sync/v1/events?reads=false', 'Unknown parameter "reads".', 'Parametro sconosciuto: "reads".'],
  ])('is refused in both languages: %s', async (path, english, italian) => {
    for (const [language, sentence] of [
      ['en', english],
      ['it', italian],
    ] as const) {
      const { status, body } = await get(path, { 'accept-language': language });
      expect([status, body.errorCode, body.message]).toEqual([400, 'INVALID_PARAMETER', sentence]);
    }
  });
});
