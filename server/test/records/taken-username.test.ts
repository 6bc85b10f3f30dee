import { type Credential, credential } from '@anagrafe/testing/admin';
import { finished, importedUser, jobOf, readJob, sendJob } from '@anagrafe/testing/jobs';
import { codesOf, unique } from '@anagrafe/testing/records';
import { type Answer, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let reader: Credential;
let writer: Credential;
let owner: { ID: number; ExternalKey: string; Username: string; Denomination: string };
let other: number;

beforeAll(async () => {
  service = await startTestService();
  reader = await credential(service, { name: 'reader', scopes: ['sync:write', 'sync:read'] });
  writer = await credential(service, { name: 'writer', scopes: ['sync:write'] });
  const named = { ExternalKey: unique('K'), Denomination: 'Rossi Srl' };
  const Username = unique('mario');
  const { body } = await send('irs/insert', [
    { ...named, Users: [importedUser(Username)] },
    { ExternalKey: unique('K') },
  ]);
  const [first, second] = body.result?.records ?? [];
  owner = { ...named, Username, ID: first?.Item1 ?? 0 };
  other = second?.Item1 ?? 0;
});

const send = (path: string, records: unknown, as = reader) =>
  service.call(path, records, { headers: { ...as, prefer: 'return=representation' } });

const errorsOf = ({ body }: Answer) => body.result?.records[0]?.Item5;

describe('USERNAME_TAKEN', () => {
  const recordFor = {
    'irs/insert': () => ({ Denomination: 'Verdi Srl', Users: [importedUser(owner.Username)] }),
    'irs/update': () => ({ ID: other, Users: [importedUser(owner.Username)] }),
    'irs/upsert': () => ({ ExternalKey: unique('K'), Users: [importedUser(owner.Username)] }),
  };

  it.each(Object.keys(recordFor))('names the principal of the user in %s, to readers only', async (path) => {
    const record = recordFor[path as keyof typeof recordFor]();
    const { ID: PrincipalID, ExternalKey, Denomination } = owner;
    const message = `This username belongs to a user of the principal with ID ${PrincipalID} (${ExternalKey}, Rossi Srl).`;
    const details = { PrincipalID, ExternalKey, Denomination };
    const named = { 'Users[0].Username': [{ code: 'USERNAME_TAKEN', message, details }] };
    const answer = await send(path, [record]);
    expect([codesOf(answer), errorsOf(answer)]).toEqual([['USERNAME_TAKEN'], named]);
    const plain = { code: 'USERNAME_TAKEN', message: 'This username is taken.' };
    expect(errorsOf(await send(path, [record], writer))).toEqual({ 'Users[0].Username': [plain] });
    for (const [as, expected] of [
      [reader, named],
      [writer, { 'Users[0].Username': [plain] }],
    ] as const) {
      const job = jobOf(await sendJob(service, path, [record], as)).ID;
      await finished(service, job, as);
      expect(errorsOf(await readJob(service, job, as))).toEqual(expected);
    }
  });

  it('asks whether a registration of a user of the same principal was meant as a reset', async () => {
    const { Operation: _, ...item } = { Operation: 'register', ...newUser(owner.Username) };
    const { ID: PrincipalID, ExternalKey, Denomination } = owner;
    const message = expect.stringContaining('Did you mean Operation: "reset"?');
    const found = await send('irs/update', [{ ID: owner.ID, Users: [item] }]);
    expect(errorsOf(found)).toEqual({
      'Users[0].Username': [
        {
          code: 'USERNAME_TAKEN',
          message,
          details: { PrincipalID, ExternalKey, Denomination, Operation: 'reset' },
        },
      ],
    });
    const hidden = await send('irs/update', [{ ID: owner.ID, Users: [item] }], writer);
    expect(errorsOf(hidden)).toEqual({
      'Users[0].Username': [
        {
          code: 'USERNAME_TAKEN',
          message,
          details: { PrincipalID: null, ExternalKey: null, Denomination: null, Operation: 'reset' },
        },
      ],
    });
    const explicit = await send('irs/update', [
      { ID: owner.ID, Users: [{ ...item, Operation: 'register' }] },
    ]);
    expect(JSON.stringify(errorsOf(explicit))).not.toContain('reset');
    const elsewhere = await send('irs/update', [{ ID: other, Users: [item] }]);
    expect(JSON.stringify(errorsOf(elsewhere))).not.toContain('reset');
  });

  it('is emptied in a failed record when the principal that it names is deleted', async () => {
    const Username = unique('anna');
    const named = { ExternalKey: unique('K'), Denomination: unique('Secret Srl') };
    const inserted = await send('irs/insert', [{ ...named, Users: [importedUser(Username)] }]);
    const job = jobOf(
      await sendJob(service, 'irs/update', [{ ID: other, Users: [importedUser(Username)] }], reader),
    ).ID;
    await finished(service, job, reader);
    await send('irs/delete', [{ ID: inserted.body.result?.records[0]?.Item1 }]);
    const [kept] = await service.database.query<{ text: string }>(
      'select outcomes::text as text from anagrafe.outcomes where call_id = $1',
      [job],
    );
    expect(kept?.text).toContain('USERNAME_TAKEN');
    expect(kept?.text).not.toContain(named.Denomination);
  });
});

describe('a reset of a disabled user', () => {
  it('says in its representation that the user is disabled, at once, in a job and when it is repeated', async () => {
    const Username = unique('luca');
    await send('irs/update', [{ ID: owner.ID, Users: [importedUser(Username)] }]);
    const item = { Operation: 'reset', ...importedUser(Username) };
    const usersOf = ({ body }: Answer) => body.result?.records[0]?.Item6.Users;
    const reset = [{ ID: owner.ID, Users: [item] }];
    expect(usersOf(await send('irs/update', reset))).toEqual([
      { ID: expect.any(Number), Username, Email: null, Operation: 'reset' },
    ]);
    await send('irs/state', [{ ID: owner.ID, Users: [{ Username, State: 'disabled' }] }]);
    const disabled = [
      { ID: expect.any(Number), Username, Email: null, Operation: 'reset', State: 'disabled' },
    ];
    const headers = { ...reader, prefer: 'return=representation', 'idempotency-key': unique('key') };
    expect(usersOf(await service.call('irs/update', reset, { headers }))).toEqual(disabled);
    expect(usersOf(await service.call('irs/update', reset, { headers }))).toEqual(disabled);
    const job = jobOf(await sendJob(service, 'irs/update', reset, reader)).ID;
    await finished(service, job, reader);
    expect(usersOf(await readJob(service, job, { ...reader, prefer: 'return=representation' }))).toEqual(
      disabled,
    );
    expect(JSON.stringify(usersOf(await send('irs/update', reset, writer)))).not.toContain('disabled');
  });
});
