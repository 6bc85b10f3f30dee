import { randomUUID } from 'node:crypto';
import { adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { rightPassword } from '@anagrafe/testing/login';
import { type MailServer, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';

/** Everything that a request can name: of the caller's own part, of another part, or that does not exist. */
export interface Subject {
  readonly id: number;
  readonly key: string;
  readonly denomination: string;
  readonly vatnumber: string;
  readonly tag: string;
  readonly userId: number;
  readonly username: string;
  readonly email: string;
  readonly session: string;
  readonly job: string;
  readonly call: string;
  readonly run: string;
}

export interface LimitedWorld {
  readonly service: TestService;
  readonly mailServer: MailServer;
  /** Not limited. */
  readonly admin: Credential;
  /** A client with all scopes and the tag of `own`. */
  readonly limited: Credential;
  readonly own: Subject;
  readonly foreign: Subject;
  readonly missing: Subject;
}

/** Starts a service with two parts of data: each has a client of its own, which has sent a call, a job and a run. */
export async function openLimitedWorld(): Promise<LimitedWorld> {
  const mailServer = await startMailServer();
  const service = await startTestService({
    ANAGRAFE_REQUIRE_SECOND_FACTOR: 'false',
    ...mailSettingsOf(mailServer),
  });
  const admin = await credential(service);
  const limited = await credential(service, { name: 'own', tags: ['own-tag'] });
  const other = await credential(service, { name: 'other', tags: ['foreign-tag'] });
  const own = await subjectOf(service, 'own', limited);
  // No other number in an answer is equal to one of these IDs.
  await service.database.query(
    `select setval('anagrafe.principals_id_seq', 881000), setval('anagrafe.users_id_seq', 991000)`,
  );
  const foreign = await subjectOf(service, 'foreign', other);
  // An undo of the foreign run has not ended: one of a missing run is refused for another reason.
  await service.database.query(
    `insert into anagrafe.calls (id, operation, state, records, users, lease_id, lease_renewed_at, run_id)
     values (gen_random_uuid(), 'undo', 'open', 1, 0, gen_random_uuid(), now() + interval '1 hour', $1)`,
    [foreign.run],
  );
  const sent = `select from anagrafe.mails where state = 'sent'`;
  await until(
    async () => (await service.database.query(sent)).length === 2,
    () => `${mailServer.received.length} invitations`,
  );
  const missing: Subject = {
    ...foreign,
    id: 999_991,
    key: 'missing-key',
    denomination: 'missing company',
    vatnumber: 'MISSING123',
    tag: 'missing-tag',
    userId: 999_992,
    username: 'missing.user',
    email: 'missing@example.com',
    session: randomUUID(),
    job: randomUUID(),
    call: randomUUID(),
    run: randomUUID(),
  };
  return { service, mailServer, admin, limited, own, foreign, missing };
}

async function subjectOf(service: TestService, name: string, client: Credential): Promise<Subject> {
  const run = randomUUID();
  const username = `${name}.user`;
  const email = `${name}@example.com`;
  const vatnumber = `${name.toUpperCase()}123`;
  const record = {
    ExternalKey: `${name}-key`,
    Denomination: `${name} company`,
    Vatnumber: vatnumber,
    Users: [
      newUser(username, { Email: email }),
      { Username: `${name}.invited`, Email: email, Invite: 'email' },
    ],
  };
  const headers = { ...client, prefer: 'return=representation', 'anagrafe-run': run };
  const inserted = await service.call('irs/insert', [record, { ExternalKey: `${name}-key` }], { headers });
  const [tuple] = inserted.body.result?.records ?? [];
  const id = tuple?.Item1 ?? 0;
  const userId = tuple?.Item6.Users?.[0]?.ID ?? 0;
  const users = [importedUser(`${name}.of.job`), { Username: `${name}.coded`, Invite: 'code' }];
  const job = await submit(
    service,
    'irs/update',
    [
      { ID: id, Users: users },
      { ID: id, Users: [{}] },
    ],
    client,
  );
  await finished(service, job, client);
  await service.call('login', { Username: username, Password: rightPassword });
  const admin = adminOf(service);
  const calls = await admin('GET calls', client);
  const sessions = await admin(`GET users/${userId}/sessions`, client);
  return {
    id,
    key: record.ExternalKey,
    denomination: record.Denomination,
    vatnumber,
    tag: `${name}-tag`,
    userId,
    username,
    email,
    session: String(sessions.body.result?.records[0]?.ID),
    job,
    call: String(calls.body.result?.records[0]?.CallID),
    run,
  };
}
