import { setTimeout as sleep } from 'node:timers/promises';
import { Anagrafe, newRun } from '../../client/dist/index.js';
import { user, users } from './people.mjs';

const firms = [
  'Rossi Srl',
  'Bianchi SpA',
  'Comune di Lucca',
  'Verdi & Figli',
  'Ospedale San Marco',
  'Teatro Sociale',
];

/** A service that is in use: clients, principals, calls of which some failed, jobs, webhooks. Gives the keys to sign in with. */
export async function seed(url, database, receiver) {
  const keys = await new Anagrafe({ url }).admin.clients.create({
    Name: 'office',
    Scopes: ['admin', 'sync:write', 'sync:read'],
  });
  const office = new Anagrafe({ url, publicKey: keys.PublicKey, secretKey: keys.SecretKey });
  await addClients(office);
  const hook = await office.admin.webhooks.create({ URL: receiver.url, Granularity: 'record' });
  await office.admin.webhooks.create({ URL: 'https://crm.example.com/anagrafe', Types: ['job.completed'] });
  await office.admin.webhooks.test(hook.ID);
  const [one, two] = await addPrincipals(office);
  await addHistory(database);
  await addCalls(office, one, two);
  const { ID: job } = await office.jobs.submit('insert', [
    ...Array.from({ length: 12 }, (_, n) => ({
      Denomination: `Agenzia ${n + 1}`,
      Users: users(400 + n * 3, 3),
    })),
    { Denomination: 'Agenzia 13', Users: [user(1)] },
    { Denomination: 'Agenzia 14', Users: [user(500, { Email: 'sede.example.com' })] },
  ]);
  await office.jobs.wait(job);
  const run = await importUsers(office);
  const code = await inviteUsers(office);
  const [call] = (await office.admin.calls({ failed: true }).page()).records;
  const refused = await refusedDelivery(office, hook.ID);
  return { keys, office, webhook: hook.ID, refused, job, run, call: call.CallID, code };
}

/** An import that creates a company and changes another one, whose phone number is changed again. Returns its run. */
async function importUsers(office) {
  const run = newRun();
  const changed = { Username: 'anna.rossi', Phone: '+39 0583 111222', FirstName: 'Annamaria' };
  const records = [
    { ExternalKey: 'C-1000', Vatnumber: '01234567897', Users: [changed] },
    { ExternalKey: 'C-3000', Denomination: 'Farmacia Centrale', Users: users(600, 3) },
  ];
  await office.ofRun(run).upsert(records);
  await office.upsert([
    { ExternalKey: 'C-1000', Users: [{ Username: 'anna.rossi', Phone: '+39 0583 333444' }] },
  ]);
  return run;
}

/** Invites some users by mail, one of which does not arrive, and one with a code. Returns the code. */
async function inviteUsers(office) {
  const mails = ['gino.colli', 'remo.fontana', 'sede'].map((Username) => {
    return { Username, Email: `${Username}@example.com`, Invite: 'email' };
  });
  const { tuples } = await office.insert(
    [
      {
        ExternalKey: 'C-4000',
        Denomination: 'Cantina Colli',
        Users: [...mails, { Username: 'carla.neri', Invite: 'code' }],
      },
    ],
    { representation: true },
  );
  return tuples[0].Item6.Users[3].Code;
}

async function addClients({ admin: { clients } }) {
  await clients.create({ Name: 'erp', Networks: ['10.20.0.0/16'] });
  await clients.create({ Name: 'crm import', Scopes: ['sync:write'] });
  await clients.create({ Name: 'reporting', Scopes: ['sync:read'], Networks: ['192.0.2.17'] });
  const { PublicKey } = await clients.create({
    Name: 'badge reader',
    Scopes: ['sync:read'],
    Networks: ['10.9.0.0/24'],
    KnownByAddress: true,
  });
  await clients.revoke((await clients.create({ Name: 'old portal' })).PublicKey);
  await clients.rotate(PublicKey, { Hours: 48 });
}

async function addPrincipals(office) {
  const { tuples } = await office.insert(
    firms.map((Denomination, n) => ({
      Denomination,
      ExternalKey: `C-${1000 + n}`,
      Vatnumber: `IT0${n + 1}234567890`,
      Users: users(n * 6, 6),
    })),
  );
  return tuples.map(({ Item1 }) => Item1);
}

async function addCalls(office, one, two) {
  const { records: people } = await office.users({ ID: one }).page();
  const passwords = { Password: 'una frase nuova', ConfirmPassword: 'una frase nuova' };
  await office.update([{ ID: one, Users: [{ ID: people[0].ID, ...passwords }] }]);
  await office.setStates([{ ID: one, Users: [{ ID: people[4].ID, State: 'disabled' }] }]);
  await office.update([
    { ID: one, Users: [user(100), user(1)] },
    { ID: two, Users: [user(101, { Password: 'breve', ConfirmPassword: 'breve' })] },
    { ID: 4711, Users: [user(102)] },
    { ID: two, Users: [user(103, { Email: 'marta.example.com' })] },
    { ID: two, Users: [user(104)] },
    { ID: one, Users: [{ ID: 99_999, ...passwords }] },
  ]);
}

/** The ID of the message that the receiver did not take. */
async function refusedDelivery({ admin }, webhook) {
  for (;;) {
    const { records } = await admin.webhooks.deliveries(webhook, { pageSize: 100 }).page();
    const refused = records.find(({ Status }) => Status === 503);
    if (refused) return refused.ID;
    await sleep(200);
  }
}

/** Long enough to be seen under way. Gives its ID. */
export async function submitLongJob({ jobs }) {
  const { ID } = await jobs.submit(
    'insert',
    Array.from({ length: 600 }, (_, n) => ({
      Denomination: `Cliente ${n + 1}`,
      Users: users(1000 + n * 10, 10),
    })),
  );
  return ID;
}

/** Inserts a month of activity; calls can only create the activity of today. */
async function addHistory(database) {
  await database.query(
    `insert into anagrafe.activity as known
       (start, calls, jobs, records_failed, principals_inserted, users_registered, passwords_reset)
     select date_trunc('hour', now(), 'UTC') - ago * interval '1 hour',
            (load * 34)::integer, (load * 3)::integer, (load * load * 4)::integer, (load * 30)::integer,
            (load * 310)::integer, (load * 120)::integer
       from generate_series(1, 30 * 24 - 1) as ago,
            lateral (select greatest(0, sin((extract(hour from now()) - ago) * pi() / 12 - 1.9))
                            * (0.7 + 0.6 * abs(sin(ago * 0.37)))
                            * (case when ago / 24 % 7 in (1, 2) then 0.25 else 1 end) as load)
     on conflict (start) do nothing`,
  );
  await database.query(
    `insert into anagrafe.row_counts (kind, block, slot, amount)
     values ('users', 999999, 0, 212840), ('principals', 999999, 0, 18375)`,
  );
}
