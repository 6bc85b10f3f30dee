import { recordOf } from '@anagrafe/testing/admin';
import { browserOf } from '@anagrafe/testing/console';
import { asOperator, operator, outdateConfirmations } from '@anagrafe/testing/operators';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

interface Tuple {
  readonly Item1: number;
  readonly Item3: boolean;
  readonly Item5: Record<string, readonly { readonly code: string }[]>;
  readonly Item6: { readonly Users: readonly { readonly ID: number }[] };
}

type Headers = Record<string, string>;

const Password = 'una frase lunga e nuova';
const created = { prefer: 'return=representation' };
let service: TestService;
let browse: ReturnType<typeof browserOf>;
let desk: Headers;
let editor: Headers;
let ID: number;
let userId: number;

beforeAll(async () => {
  service = await startTestService();
  browse = browserOf(service);
  for (const role of ['desk', 'editor'] as const) await operator(service, `${role}@example.com`, role);
  desk = await asOperator(service, 'desk@example.com');
  editor = await asOperator(service, 'editor@example.com');
  const users = [{ Username: 'desk.user', Password, ConfirmPassword: Password }];
  const inserted = await write('insert', [{ Denomination: 'Rossi', Users: users }], {
    ...editor,
    ...created,
  });
  ({ Item1: ID } = inserted.tuples[0] as Tuple);
  userId = inserted.tuples[0]?.Item6.Users[0]?.ID ?? 0;
});

async function write(call: string, records: unknown, headers: Headers) {
  const { status, body } = await browse(`POST /api/sync/v1/irs/${call}`, headers, records);
  return { status, code: body.errorCode, tuples: (body.result?.records ?? []) as Tuple[], body };
}

describe('an operator with the role desk', () => {
  it('resets passwords with irs/update, and does nothing else with it', async () => {
    const update = (record: Record<string, unknown>) => write('update', [{ ID, ...record }], desk);
    const reset = await update({ Users: [{ ID: userId, Password, ConfirmPassword: Password }] });
    expect(reset.status).toBe(200);
    const others = [
      { Denomination: 'Bianchi' },
      { Tags: ['south'] },
      { Users: [{ Username: 'another.one', Password, ConfirmPassword: Password }] },
      { Users: [{ Operation: 'edit', ID: userId, Email: 'new@example.com' }] },
      { Users: [{ Operation: 'edit', ID: userId, MustChangePassword: true }] },
      { Users: [{ Operation: 'delete', ID: userId }] },
      { Users: [{ Operation: 'move', ID: userId }] },
      {
        Users: [
          { ID: userId, Password, ConfirmPassword: Password },
          { Operation: 'edit', ID: userId, State: 'disabled' },
        ],
      },
    ];
    const before = await service.database.query('select * from anagrafe.users order by id');
    for (const record of others) {
      const { status, code, tuples } = await update(record);
      const codes = Object.values(tuples[0]?.Item5 ?? {}).flatMap((errors) =>
        errors.map((error) => error.code),
      );
      expect([record, status === 403 ? code : codes.includes('NOT_PERMITTED')]).toEqual([
        record,
        status === 403 ? 'FORBIDDEN' : true,
      ]);
    }
    expect(await service.database.query('select * from anagrafe.users order by id')).toEqual(before);
  });

  it('issues the codes of its own job, and of no other', async () => {
    const invite = async (headers: Headers) => {
      const records = [{ ID, Users: [{ ID: userId, Invite: 'code' }] }];
      const sent = await browse(
        'POST /api/sync/v1/irs/invite',
        { ...headers, prefer: 'respond-async' },
        records,
      );
      const job = recordOf<{ ID: string }>(sent).ID;
      const state = async () =>
        recordOf<{ State: string }>(await browse(`GET /api/sync/v1/jobs/${job}`, headers)).State;
      await expect.poll(state).toBe('completed');
      return job;
    };
    const codes = (job: string, headers: Headers) =>
      browse(`POST /api/sync/v1/jobs/${job}/invitations?format=csv`, headers).then(
        ({ status }) => status,
        // The answer is CSV.
        () => 200,
      );
    const [own, other] = [await invite(desk), await invite(editor)];
    expect([await codes(own, desk), await codes(other, desk), await codes(own, editor)]).toEqual([
      200, 403, 200,
    ]);
  });
});

describe('deleting a user with irs/update', () => {
  it('needs a confirmation of the operator, also if the word is escaped', async () => {
    await outdateConfirmations(service);
    const plain = JSON.stringify([{ ID, Users: [{ Operation: 'delete', ID: 999_999 }] }]);
    for (const body of [plain, plain.replace('delete', '\\u0064elete')]) {
      const send = (query: string) =>
        fetch(`${service.url}/api/sync/v1/irs/update${query}`, {
          method: 'POST',
          headers: { ...editor, 'content-type': 'application/json' },
          body,
        });
      const refused = await send('');
      expect(await refused.json()).toMatchObject({ statusCode: 403, errorCode: 'CONFIRMATION_REQUIRED' });
      expect((await send('?dryRun=true')).status).toBe(422);
    }
    const edit = [{ ID, Users: [{ Operation: 'edit', ID: userId, FirstName: 'delete' }] }];
    expect((await write('update', edit, editor)).status).toBe(200);
    const refusals = await service.database.query(
      `select 1 from anagrafe.audit_log where action = 'operator.refused' and details ->> 'role' = 'editor'`,
    );
    expect(refusals).toEqual([]);
  });
});
