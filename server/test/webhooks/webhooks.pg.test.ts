import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { startReceiver } from '@anagrafe/testing/receiver';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService({
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_WEBHOOK_WAITS: '0',
  });
  admin = adminOf(service);
  office = await credential(service);
});

const URL = 'https://erp.example.com/hooks';
const inserted = () => service.call('irs/insert', [{ Denomination: 'Nuova Srl' }], { headers: office });

describe('webhooks', () => {
  it('accept a single event type in place of a list', async () => {
    const made = await admin('POST webhooks', office, { URL, Types: 'user.registered' });
    expect(recordOf(made).Types).toEqual(['user.registered']);
    const { ID } = recordOf(made);
    const changed = await admin(`PATCH webhooks/${ID}`, office, { Types: 'call.completed' });
    expect(recordOf(changed).Types).toEqual(['call.completed']);
    expect((await admin(`DELETE webhooks/${ID}`, office)).status).toBe(200);
  });

  it('are created with a secret that is shown once, changed, listed and removed', async () => {
    const other = await startTestService();
    const [admin, office] = [adminOf(other), await credential(other)];
    const made = await admin('POST webhooks', office, { URL, Types: ['user.registered'] });
    expect(made.status).toBe(200);
    const { ID, Secret, ...rest } = recordOf<Record<string, unknown>>(made);
    expect(Secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const fields = {
      ClientID: expect.any(Number),
      URL,
      Types: ['user.registered'],
      Granularity: 'record',
      CreatedAt: expect.any(String),
      DisabledAt: null,
      DisabledWhy: null,
      DisabledReason: null,
      DisabledDetails: null,
    };
    expect(rest).toEqual(fields);
    const change = { Types: [], Granularity: 'user', Enabled: false };
    const changed = await admin(`PATCH webhooks/${ID}`, office, change);
    expect(recordOf(changed)).toEqual({
      ...fields,
      ID,
      Types: [],
      Granularity: 'user',
      DisabledAt: expect.any(String),
      DisabledWhy: 'manually',
      DisabledReason: 'manual',
      DisabledDetails: { Status: null, NetworkError: null, TimeoutMs: null },
    });
    expect(recordOf(await admin(`PATCH webhooks/${ID}`, office, { Enabled: true }))).toMatchObject({
      DisabledAt: null,
      DisabledWhy: null,
      DisabledReason: null,
    });
    const listed = await admin('GET webhooks', office);
    expect(listed.body.result?.records).toMatchObject([{ ID, Granularity: 'user' }]);
    expect(listed.text).not.toContain(Secret);
    expect((await admin(`DELETE webhooks/${ID}`, office)).status).toBe(200);
    expect((await admin('GET webhooks', office)).body.result?.records).toEqual([]);
    for (const call of [`DELETE webhooks/${ID}`, `PATCH webhooks/${ID}`, `GET webhooks/${ID}/deliveries`]) {
      const gone = await admin(call, office, call.startsWith('PATCH') ? {} : undefined);
      expect([call, gone.status, gone.body.errorCode]).toEqual([call, 404, 'WEBHOOK_NOT_FOUND']);
    }
  });

  it.each([
    [{}, 'URL'],
    [{ URL: 'ftp://x' }, 'URL'],
    [{ URL: 'https://user:secret@x/' }, 'URL'],
    [{ URL: 'nothing' }, 'URL'],
    [{ URL: { toString: 'https://example.com' } }, 'URL'],
    [{ URL: ['https://example.com'] }, 'URL'],
    [{ URL, Types: ['user.unknown'] }, 'Types'],
    [{ URL, Types: 'user.unknown' }, 'Types'],
    [{ URL, Granularity: 'call' }, 'Granularity'],
    [{ URL, Granularity: 'job', Types: ['user.registered'] }, 'Types'],
    [{ URL, Url: 'x' }, 'Url'],
    [{ URL, Enabled: true }, 'Enabled'],
  ])('are refused with invalid fields: %j', async (body, name) => {
    const { status, body: envelope } = await admin('POST webhooks', office, body);
    expect([status, envelope.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
    expect(envelope.message).toContain(`"${name}"`);
  });

  it.each([
    ['Types', { Granularity: 'record', Types: ['user.registered'] }, { Granularity: 'job' }],
    ['Types', { Granularity: 'job', Types: ['job.completed'] }, { Types: ['user.registered'] }],
  ])('are not changed to a combination that never delivers: %s', async (name, options, change) => {
    const { ID } = recordOf<{ ID: number }>(await admin('POST webhooks', office, { URL, ...options }));
    const { status, body } = await admin(`PATCH webhooks/${ID}`, office, change);
    expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.message).toContain(`Allowed values of "${name}": call.completed, job.completed`);
    const both = { Granularity: 'job', Types: ['call.completed'] };
    expect(recordOf(await admin(`PATCH webhooks/${ID}`, office, both))).toMatchObject(both);
    expect((await admin(`DELETE webhooks/${ID}`, office)).status).toBe(200);
  });

  it('have the reason why they are disabled in the language of the request', async () => {
    const { ID } = recordOf<{ ID: number }>(await admin('POST webhooks', office, { URL }));
    const headers = { ...office, 'accept-language': 'it' };
    expect(recordOf(await admin(`PATCH webhooks/${ID}`, headers, { Enabled: false }))).toMatchObject({
      DisabledWhy: 'manualmente',
      DisabledReason: 'manual',
    });
    await admin(`DELETE webhooks/${ID}`, office);
  });

  it('list their deliveries and replay them', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => 500;
    const { ID } = recordOf<{ ID: number }>(
      await admin('POST webhooks', office, { URL: receiver.url, Types: ['principal.inserted'] }),
    );
    await inserted();
    const failed = async () => (await admin(`GET webhooks/${ID}/deliveries?failed=true`, office)).body.result;
    await expect.poll(async () => (await failed())?.count).toBe(1);
    expect(await failed()).toMatchObject({
      totalCount: 1,
      record: {
        ID,
        DisabledWhy: 'the receiver returned an error (500)',
        DisabledReason: 'http_status',
        DisabledDetails: { Status: 500, NetworkError: null, TimeoutMs: null },
      },
      records: [
        {
          Type: 'principal.inserted',
          State: 'failed',
          Attempts: 2,
          Status: 500,
          NextAt: null,
          Failure: null,
          FailureCode: 'http_status',
          FailureDetails: { Status: 500, NetworkError: null, TimeoutMs: null },
        },
      ],
    });
    receiver.answer = () => 200;
    await admin(`PATCH webhooks/${ID}`, office, { Enabled: true });
    const again = await admin(`POST webhooks/${ID}/replay`, office);
    expect(recordOf(again)).toEqual({ Replayed: 1 });
    await expect.poll(() => receiver.received.length).toBe(3);
    const [delivery] = (await admin<{ ID: string }>(`GET webhooks/${ID}/deliveries`, office)).body.result
      ?.records ?? [{ ID: '' }];
    await admin(`POST webhooks/${ID}/deliveries/${delivery?.ID}/replay`, office);
    await expect.poll(() => receiver.received.length).toBe(4);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('are disabled when their client is revoked', async () => {
    const other = await credential(service);
    const { ID } = recordOf<{ ID: number }>(await admin('POST webhooks', other, { URL }));
    await admin(`DELETE clients/${other.SyncPublicKey}`, office);
    const listed = (await admin<{ ID: number }>('GET webhooks', office)).body.result?.records ?? [];
    expect(listed.find((webhook) => webhook.ID === ID)).toMatchObject({
      DisabledWhy: 'the client was revoked',
      DisabledReason: 'client_revoked',
    });
  });

  it('have a row in the audit log for each change, without the secret', async () => {
    const { ID, Secret } = recordOf<{ ID: number; Secret: string }>(
      await admin('POST webhooks', office, { URL }),
    );
    await admin(`PATCH webhooks/${ID}`, office, { Enabled: false });
    await admin(`DELETE webhooks/${ID}`, office);
    const rows = await service.database.query<{ action: string; actor: string }>(
      `select action, actor, details::text as details from anagrafe.audit_log
        where (details ->> 'webhook')::bigint = $1 order by id`,
      [ID],
    );
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
      ['webhook.created', 'client'],
      ['webhook.changed', 'client'],
      ['webhook.deleted', 'client'],
    ]);
    expect(JSON.stringify(rows)).not.toContain(Secret.slice(6, 30));
  });

  it('have the origin of their URL in the audit log, without path and query, which may contain a secret', async () => {
    const old = 'https://erp.example.com:8443/hooks/users';
    const oldShown = 'https://erp.example.com:8443/…';
    const shown = `${new globalThis.URL(URL).origin}/…`;
    const { ID } = recordOf<{ ID: number }>(
      await admin('POST webhooks', office, { URL: `${old}?token=first-secret` }),
    );
    await admin(`PATCH webhooks/${ID}`, office, { Granularity: 'user' });
    await admin(`PATCH webhooks/${ID}`, office, { URL });
    await admin(`PATCH webhooks/${ID}`, office, { URL, Granularity: 'job' });
    await admin(`DELETE webhooks/${ID}`, office);
    const rows = await service.database.query<{ action: string; details: unknown }>(
      `select action, details from anagrafe.audit_log where (details ->> 'webhook')::bigint = $1 order by id`,
      [ID],
    );
    expect(rows.map(({ action, details }) => [action, details])).toEqual([
      ['webhook.created', { webhook: ID, url: oldShown }],
      ['webhook.changed', { webhook: ID, changed: ['granularity'], url: oldShown }],
      ['webhook.changed', { webhook: ID, changed: ['url'], url: shown, oldUrl: oldShown }],
      ['webhook.changed', { webhook: ID, changed: ['url', 'granularity'], url: shown }],
      ['webhook.deleted', { webhook: ID, url: shown }],
    ]);
  });
});
