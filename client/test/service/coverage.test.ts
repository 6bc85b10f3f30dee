import { readFileSync } from 'node:fs';
import { registerUsers, rightPassword } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anagrafe, type Operations } from '../../src/index.ts';

interface Document {
  readonly paths: Record<string, Record<string, { operationId: string }>>;
}

const document: Document = JSON.parse(
  readFileSync(new URL('../../../server/openapi.json', import.meta.url), 'utf8'),
);
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ operationId, method, path })),
);

let service: TestService;
let anagrafe: Anagrafe;
/** The methods and paths of the requests sent, such as `POST /api/sync/v1/irs/update`. */
let sent: string[];

beforeAll(async () => {
  service = await startTestService();
  await registerUsers(service, 'mario');
  anagrafe = new Anagrafe({
    url: service.url,
    fetch: (url, init) => {
      sent.push(`${init.method} ${new URL(url).pathname}`);
      return fetch(url, init);
    },
  });
});

const unknownId = '00000000-0000-0000-0000-000000000000';
const signedIn = () => anagrafe.login({ Username: 'mario', Password: rightPassword });

/** The client method for every operation of the OpenAPI document. The IDs in the calls need not exist. */
const methods: Record<keyof Operations, () => Promise<unknown>> = {
  update: () => anagrafe.update([]),
  insert: () => anagrafe.insert([]),
  state: () => anagrafe.setStates([]),
  upsert: () => anagrafe.upsert([]),
  delete: () => anagrafe.delete([]),
  merge: () => anagrafe.merge([]),
  invite: () => anagrafe.passwords.invite([]),
  issueInvitations: () => anagrafe.jobs.invitations(unknownId)[Symbol.asyncIterator]().next(),
  checkPassword: () => anagrafe.passwords.check({ Password: rightPassword }),
  sessions: async () =>
    anagrafe
      .as(await signedIn())
      .sessions.list()
      .page(),
  endSession: async () => anagrafe.as(await signedIn()).sessions.end(unknownId),
  endSessions: async () => anagrafe.as(await signedIn()).sessions.endAll(),
  forgotPassword: () => anagrafe.passwords.forgot({ Username: 'mario' }),
  setPassword: () => anagrafe.passwords.set('wrong', rightPassword),
  list: () => anagrafe.list().page(),
  users: () => anagrafe.users().page(),
  exportRecords: () => anagrafe.exportRecords({ ID: 1 })[Symbol.asyncIterator]().next(),
  jobs: () => anagrafe.jobs.list().page(),
  job: () => anagrafe.jobs.get(unknownId),
  cancelJob: () => anagrafe.jobs.cancel(unknownId),
  failedRecords: () => anagrafe.jobs.failed(unknownId),
  events: () => anagrafe.events().page(),
  login: signedIn,
  refresh: async () => anagrafe.refresh((await signedIn()).RefreshToken),
  logout: async () => anagrafe.as(await signedIn()).logout(),
  clients: () => anagrafe.admin.clients.list(),
  createClient: () => anagrafe.admin.clients.create({ Name: '' }),
  changeClient: () => anagrafe.admin.clients.change('agp/unknown', { Name: 'erp' }),
  rotateClient: () => anagrafe.admin.clients.rotate('agp/unknown'),
  revokeClient: () => anagrafe.admin.clients.revoke('agp/unknown'),
  operators: () => anagrafe.admin.operators.list(),
  createOperator: () => anagrafe.admin.operators.create({ Email: '', Name: '', Role: 'viewer' }),
  changeOperator: () => anagrafe.admin.operators.change(999, { Role: 'desk' }),
  resetOperator: () => anagrafe.admin.operators.reset(999),
  operatorSessions: () => anagrafe.admin.operators.sessions(999),
  endOperatorSession: () => anagrafe.admin.operators.endSession(999, unknownId),
  endOperatorSessions: () => anagrafe.admin.operators.endSessions(999),
  completedCalls: () => anagrafe.admin.calls({ failed: true }).page(),
  completedCall: () => anagrafe.admin.call(unknownId, { failed: true }),
  failedRecordsOfCall: () => anagrafe.admin.failedRecords(unknownId),
  failures: () => anagrafe.admin.failures().page(),
  allJobs: () => anagrafe.admin.jobs({ pageSize: 5 }).page(),
  mails: () => anagrafe.admin.mails.list({ state: 'failed' }).page(),
  resendMails: () => anagrafe.admin.mails.resend(),
  audit: () => anagrafe.admin.audit.rows().page(),
  auditChanges: () => anagrafe.admin.audit.changes(1).page(),
  runs: () => anagrafe.admin.runs.list().page(),
  run: () => anagrafe.admin.runs.get('00000000-0000-4000-8000-000000000000'),
  undoRun: () => anagrafe.admin.runs.undo('00000000-0000-4000-8000-000000000000'),
  verifyAudit: () => anagrafe.admin.audit.verify(),
  webhooks: () => anagrafe.admin.webhooks.list(),
  createWebhook: () => anagrafe.admin.webhooks.create({ URL: 'https://erp.example.com/' }),
  changeWebhook: () => anagrafe.admin.webhooks.change(1, { Enabled: false }),
  deleteWebhook: () => anagrafe.admin.webhooks.remove(999),
  deliveries: () => anagrafe.admin.webhooks.deliveries(1, { failed: true }).page(),
  delivery: () => anagrafe.admin.webhooks.delivery(1, unknownId),
  replayFailed: () => anagrafe.admin.webhooks.replayFailed(1),
  testWebhook: () => anagrafe.admin.webhooks.test(999),
  rotateWebhook: () => anagrafe.admin.webhooks.rotate(999),
  replay: () => anagrafe.admin.webhooks.replay(1, unknownId),
  statistics: () => anagrafe.admin.statistics(),
  userSessions: () => anagrafe.admin.sessions.list(1).page(),
  endUserSessions: () => anagrafe.admin.sessions.endAll(999_999),
  endUserSession: () => anagrafe.admin.sessions.end(1, unknownId),
  healthReport: () => anagrafe.admin.health(),
  settings: () => anagrafe.admin.settings(),
  consoleSession: () => anagrafe.console.session(),
  signInAtConsole: () => anagrafe.console.signIn({ PublicKey: 'agp', SecretKey: 'unknown' }),
  signInOperator: () => anagrafe.console.signInOperator({ Email: 'nobody@example.com', Password: 'wrong' }),
  forgotOperatorPassword: () => anagrafe.console.forgotPassword('nobody@example.com'),
  changeOperatorPassword: () => anagrafe.console.changePassword({ Password: '', ConfirmPassword: '' }),
  ownOperatorSessions: () => anagrafe.console.sessions(),
  endOwnOperatorSession: () => anagrafe.console.endSession(unknownId),
  endOtherOperatorSessions: () => anagrafe.console.endOtherSessions(),
  confirmOperator: () => anagrafe.console.confirm({ Code: '000000' }),
  beginSecondFactor: () => anagrafe.console.beginSecondFactor(),
  enrolSecondFactor: () => anagrafe.console.enrolSecondFactor('000000'),
  setOperatorPassword: () =>
    anagrafe.console.setPassword({ Code: '', Password: rightPassword, ConfirmPassword: rightPassword }),
  signOutAtConsole: () => anagrafe.console.signOut(),
};

describe('the client', () => {
  it('has methods for exactly the operations of the OpenAPI document', () => {
    expect(Object.keys(methods).sort()).toEqual(described.map(({ operationId }) => operationId).sort());
  });

  it.each(['', '.', '..'])('refuses the ID "%s", which would change the path of the call', async (id) => {
    sent = [];
    await expect(anagrafe.admin.webhooks.replay(1, id)).rejects.toThrow(TypeError);
    await expect(anagrafe.jobs.cancel(id)).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it.each(described)('has a method for $operationId', async ({ operationId, method, path }) => {
    sent = [];
    const refusal = await methods[operationId as keyof Operations]().then(
      () => null,
      (error: { code?: string }) => error.code,
    );
    const pattern = path.replaceAll(/\{\w+\}/g, '[^/]+');
    expect(sent.at(-1)).toMatch(new RegExp(`^${method.toUpperCase()} ${pattern}$`));
    // Any other error code shows that the service accepted the path and the method.
    expect(['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'UNEXPECTED_ANSWER', undefined]).not.toContain(refusal);
  });
});
