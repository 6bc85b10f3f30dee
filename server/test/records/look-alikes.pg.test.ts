import { type Credential, credential } from '@anagrafe/testing/admin';
import { finished, importedUser, jobOf, sendJob } from '@anagrafe/testing/jobs';
import { codesOf, fieldCodesOf, range, unique } from '@anagrafe/testing/records';
import { type Answer, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { findFormsStatement, formParameters } from '../../src/records/check/look-alikes.store.ts';

let service: TestService;
let reader: Credential;
let writer: Credential;

beforeAll(async () => {
  service = await startTestService();
  reader = await credential(service, { name: 'reader', scopes: ['sync:write', 'sync:read'] });
  writer = await credential(service, { name: 'writer', scopes: ['sync:write'] });
});

type Fields = Readonly<Record<string, unknown>>;
const paths = ['irs/insert', 'irs/upsert'] as const;

function send(
  records: readonly Fields[],
  {
    path = 'irs/insert',
    query = 'similar=refuse',
    as = reader,
  }: { path?: string; query?: string; as?: Credential } = {},
): Promise<Answer> {
  return service.call(`${path}?${query}`, records, { headers: as });
}

/** Inserts a principal and returns its ID. */
async function inserted(fields: Fields): Promise<number> {
  const answer = await send([fields], { query: '' });
  expect(codesOf(answer)).toEqual([null]);
  return answer.body.result?.records[0]?.Item1 ?? 0;
}

const errorsOf = ({ body }: Answer) => body.result?.records[0]?.Item5;

let serial = 0;
/** Returns digits that no other test uses. */
const digits = () => `7${String(++serial).padStart(5, '0')}`;

/** The stored and the sent value of a field that look alike, and the field that the error is about. */
const spellings: readonly (readonly [string, string, (n: string) => Fields, (n: string) => Fields])[] = [
  ['lost zeros', 'ExternalKey', (n) => ({ ExternalKey: `00${n}` }), (n) => ({ ExternalKey: n })],
  ['another dash', 'ExternalKey', (n) => ({ ExternalKey: `Z–${n}` }), (n) => ({ ExternalKey: `Z-${n}` })],
  ['no dash', 'ExternalKey', (n) => ({ ExternalKey: `Y—${n}` }), (n) => ({ ExternalKey: `Y${n}` })],
  ['a minus sign', 'ExternalKey', (n) => ({ ExternalKey: `X-${n}` }), (n) => ({ ExternalKey: `X−${n}` })],
  ['capital letters', 'ExternalKey', (n) => ({ ExternalKey: `à${n}` }), (n) => ({ ExternalKey: `À${n}` })],
  [
    'spaces',
    'ExternalKey',
    (n) => ({ ExternalKey: `W ${n}` }),
    (n) => ({ ExternalKey: ` W\u00a0\u2003${n} ` }),
  ],
  ['spaces', 'Vatnumber', (n) => ({ Vatnumber: `IT0${n}` }), (n) => ({ Vatnumber: `it 0${n}` })],
  ['the same text', 'Taxcode', (n) => ({ Taxcode: `RSSMRA${n}` }), (n) => ({ Taxcode: `RSSMRA${n}` })],
  [
    'accents',
    'Denomination',
    (n) => ({ Denomination: `Caffè ${n}` }),
    (n) => ({ Denomination: `CAFFE\u0300  ${n} ` }),
  ],
  ['letters', 'Denomination', (n) => ({ Denomination: `Ærø ${n}` }), (n) => ({ Denomination: `ÆRØ ${n}` })],
  [
    'other scripts',
    'Denomination',
    (n) => ({ Denomination: `Ρόσσης й ${n}` }),
    (n) => ({ Denomination: `ΡΌΣΣΗΣ Й ${n}` }),
  ],
  [
    'a person',
    'Surname',
    (n) => ({ Surname: 'Straßer', Name: n }),
    (n) => ({ Surname: 'STRASSER', Name: n }),
  ],
  ['a person', 'Name', (n) => ({ Name: `Élodie ${n}` }), (n) => ({ Name: `élodie ${n}` })],
  [
    'a name',
    'Denomination',
    (n) => ({ Surname: 'Bianchi', Name: n }),
    (n) => ({ Denomination: `Bianchi ${n}` }),
  ],
];

it('irs/insert with similar=refuse finds a look-alike if neither of the principals has a key', async () => {
  const fields = { Denomination: unique('No key'), Vatnumber: digits() };
  await inserted(fields);
  expect(codesOf(await send([fields]))).toEqual(['LOOKS_LIKE_ANOTHER']);
});

describe.each(paths)('%s with similar=refuse', (path) => {
  it.each(spellings)('finds %s in %s', async (_, field, stored, sent) => {
    const n = digits();
    const fields: Fields = { ExternalKey: unique('K'), ...stored(n) };
    const id = await inserted(fields);
    const record = { ExternalKey: unique('L'), ...sent(n) };
    const answer = await send([record], { path });
    expect([answer.status, codesOf(answer)]).toEqual([422, ['LOOKS_LIKE_ANOTHER']]);
    const details = {
      PrincipalID: id,
      ExternalKey: fields.ExternalKey,
      Denomination:
        fields.Denomination ?? (fields.Name ? [fields.Surname, fields.Name].filter(Boolean).join(' ') : null),
      Vatnumber: fields.Vatnumber ?? null,
      Taxcode: fields.Taxcode ?? null,
      Field: field,
    };
    expect(errorsOf(answer)).toEqual({
      [field]: [{ code: 'LOOKS_LIKE_ANOTHER', message: expect.stringContaining(`ID ${id}`), details }],
    });
    expect(codesOf(await send([{ ...record, Similar: 'allow' }], { path }))).toEqual([null]);
  });

  it.each<[string, (n: string) => Fields, (n: string) => Fields]>([
    ['another number', (n) => ({ Vatnumber: `1${n}` }), (n) => ({ Vatnumber: `2${n}` })],
    [
      'numbers of zeros',
      () => ({ Vatnumber: '00000000000', Taxcode: '-' }),
      () => ({ Vatnumber: '0', Taxcode: '-' }),
    ],
    ['an accent', (n) => ({ Denomination: `Pero ${n}` }), (n) => ({ Denomination: `Però ${n}` })],
    ['a full stop', (n) => ({ ExternalKey: `V.${n}` }), (n) => ({ ExternalKey: `V${n}` })],
    ['a number in another field', (n) => ({ Vatnumber: n }), (n) => ({ Taxcode: n })],
  ])('inserts a principal that differs by %s', async (_, stored, sent) => {
    const n = digits();
    await inserted({ ExternalKey: unique('K'), ...stored(n) });
    expect(codesOf(await send([{ ExternalKey: unique('L'), ...sent(n) }], { path }))).toEqual([null]);
  });

  it('compares the records of a call with each other, and names the earlier one', async () => {
    const n = digits();
    const first = { ExternalKey: `0${n}`, Denomination: `Beta ${n}` };
    const second = { ExternalKey: n, Denomination: `BETA ${n}` };
    const refused = { ...first, ExternalKey: unique('K'), Email: 'invalid' };
    const answer = await send([refused, first, second], { path });
    expect(codesOf(answer)).toEqual(['INVALID_RECORD', null, 'LOOKS_LIKE_ANOTHER']);
    const details = { PrincipalID: null, ...first, Vatnumber: null, Taxcode: null };
    expect(answer.body.result?.records[2]?.Item5).toMatchObject({
      ExternalKey: [{ details: { ...details, Field: 'ExternalKey' } }],
      Denomination: [{ details: { ...details, Field: 'Denomination' } }],
    });
    expect(codesOf(await send([{ ...second, Similar: 'allow' }], { path }))).toEqual([null]);
  });

  it('does not tell a caller without sync:read which principal it is', async () => {
    const n = digits();
    await inserted({ ExternalKey: unique('K'), Vatnumber: n });
    const answer = await send([{ ExternalKey: unique('L'), Vatnumber: n }], { path, as: writer });
    const details = { PrincipalID: null, ExternalKey: null, Denomination: null, Field: 'Vatnumber' };
    expect(errorsOf(answer)).toEqual({
      Vatnumber: [
        { code: 'LOOKS_LIKE_ANOTHER', message: expect.stringMatching(/^Another principal has/), details },
      ],
    });
  });

  it('is checked in a dry run and in a job', async () => {
    const n = digits();
    await inserted({ ExternalKey: `0${n}` });
    const records = [{ ExternalKey: n }, { ExternalKey: unique('L') }];
    const dry = await send(records, { path, query: 'similar=refuse&dryRun=true' });
    expect(codesOf(dry)).toEqual(['LOOKS_LIKE_ANOTHER', null]);
    const submitted = await sendJob(service, `${path}?similar=refuse`, records, reader);
    const ended = await finished(service, jobOf(submitted).ID, reader);
    expect(codesOf(ended)).toEqual(['LOOKS_LIKE_ANOTHER', null]);
    const failed = await service.call(`jobs/${jobOf(submitted).ID}/failed`, undefined, {
      method: 'GET',
      headers: reader,
    });
    expect(JSON.parse(failed.text)).toMatchObject([
      { ExternalKey: n, FieldErrors: { ExternalKey: [{ details: { Field: 'ExternalKey' } }] } },
    ]);
  });

  it('refuses another value of Similar, and keeps a valid one in the failed record', async () => {
    const answer = await send([{ ExternalKey: unique('L'), Similar: 'refuse' }], { path });
    expect(fieldCodesOf(answer)).toEqual({ Similar: ['INVALID_SIMILAR'] });
    const record = { ExternalKey: unique('L'), Email: 'invalid', Similar: 'allow' };
    const submitted = await sendJob(service, `${path}?similar=refuse`, [record], reader);
    const { ID } = jobOf(submitted);
    await finished(service, ID, reader);
    const failed = await service.call(`jobs/${ID}/failed`, undefined, { method: 'GET', headers: reader });
    expect(JSON.parse(failed.text)).toMatchObject([{ Similar: 'allow' }]);
  });

  it('is part of the call that an idempotency key belongs to', async () => {
    const n = digits();
    await inserted({ ExternalKey: unique('K'), Denomination: `Gamma ${n}` });
    const records = [{ ExternalKey: unique('L'), Denomination: `Gamma ${n}` }];
    const headers = { ...reader, 'idempotency-key': unique('key') };
    expect(codesOf(await service.call(`${path}?similar=refuse`, records, { headers }))).toEqual([
      'LOOKS_LIKE_ANOTHER',
    ]);
    const other = await service.call(path, records, { headers });
    expect([other.status, other.body.errorCode]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });
});

describe('the principals that new ones are compared with', () => {
  it('are compared by their current fields', async () => {
    const n = digits();
    const ID = await inserted({ ExternalKey: unique('K'), Denomination: `Delta ${n}`, Vatnumber: n });
    const alike = async (fields: Fields) =>
      codesOf(await send([fields], { query: 'similar=refuse&dryRun=true' }));
    await service.call('irs/update', [{ ID, Denomination: `Epsilon ${n}`, Vatnumber: '' }], {
      headers: reader,
    });
    expect(await alike({ Denomination: `Delta ${n}`, Vatnumber: n })).toEqual([null]);
    expect(await alike({ Denomination: `EPSILON ${n}` })).toEqual(['LOOKS_LIKE_ANOTHER']);
    await service.call('irs/delete', [{ ID }], { headers: reader });
    expect(await alike({ Denomination: `Epsilon ${n}` })).toEqual([null]);
    const rows = await service.database.query(
      'select from anagrafe.principal_likeness where principal_id = $1',
      [ID],
    );
    expect(rows).toEqual([]);
  });

  it('may have names that are as long as they can be', async () => {
    // One character that is eighteen characters in its compatibility form.
    const name = `${digits()}${'\ufdfa'.repeat(200)}`;
    await inserted({ ExternalKey: unique('K'), Surname: name, Name: name });
    expect(codesOf(await send([{ Surname: name, Name: name }]))).toEqual(['LOOKS_LIKE_ANOTHER']);
  });

  it('are found by an index, one for each compared field, however many have the same name', async () => {
    const n = digits();
    const count = 3000;
    await service.database.transaction(
      (connection) =>
        connection.query(
          `insert into anagrafe.principals (denomination, search_terms)
           select $1, array_to_tsvector(array['mario']) from generate_series(1, $2)`,
          [`Mario ${n}`, count],
        ),
      { patient: true },
    );
    const sent = range(100).map(() => ({ ExternalKey: unique('L'), Denomination: `Mario ${n}` }));
    expect(codesOf(await send(sent, { query: 'similar=refuse&dryRun=true' }))).toEqual(
      sent.map(() => 'LOOKS_LIKE_ANOTHER'),
    );
    await service.database.query('analyze anagrafe.principals, anagrafe.principal_likeness');
    const plan = await service.database.execute<{ 'QUERY PLAN': string }>(
      {
        ...findFormsStatement,
        text: `explain (analyze, costs off, timing off) ${findFormsStatement.text}`,
      },
      formParameters(sent, null),
    );
    const lines = plan.map((line) => line['QUERY PLAN']);
    expect(lines.filter((line) => /Seq Scan/.test(line))).toEqual([]);
    // The rows of each loop: few principals are read for a form.
    const scans = lines.filter((line) => /Index.*(principal_likeness|principals)_pkey/.test(line));
    expect(scans).toHaveLength(2);
    for (const scan of scans) expect(Number(/actual rows=([\d.]+)/.exec(scan)?.[1])).toBeLessThanOrEqual(3);
  });
});

describe('a failed record that looks like another principal', () => {
  it('is emptied when that principal is deleted', async () => {
    const n = digits();
    const ID = await inserted({ ExternalKey: unique('K'), Denomination: `Zeta ${n}` });
    const record = {
      ExternalKey: unique('L'),
      Denomination: `Zeta ${n}`,
      Users: [importedUser(unique('user'))],
    };
    const submitted = await sendJob(service, 'irs/insert?similar=refuse', [record], reader);
    const job = jobOf(submitted).ID;
    await finished(service, job, reader);
    await service.call('irs/delete', [{ ID }], { headers: reader });
    const kept = await service.database.query<{ text: string }>(
      'select outcomes::text as text from anagrafe.outcomes where call_id = $1',
      [job],
    );
    expect(kept).toHaveLength(1);
    expect(kept[0]?.text).not.toContain(`Zeta ${n}`);
  });
});
