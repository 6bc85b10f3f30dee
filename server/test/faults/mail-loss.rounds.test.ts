import { type Child, childStore, startChild } from '@anagrafe/testing/child';
import { answered, codesIn, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { progressOf, randomNumbers, roundsOf } from '@anagrafe/testing/rounds';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';

const usersPerKill = 300;
const usersPerRecord = 100;
const failureRate = 0.2;

it('mails reach every user of a job when two in ten are refused for now and the service is killed meanwhile, and no code is stored', async () => {
  const kills = roundsOf(2);
  const users = kills * usersPerKill;
  const report = progressOf('mail-loss', kills);
  const random = randomNumbers();
  const store = await childStore();
  const codes = new Set<string>();
  /** The Message-IDs of the mails that each address received. */
  const arrived = new Map<string, string[]>();
  const server = await startMailServer({
    onMail(mail) {
      if (random() < failureRate) return answered(451, '4.3.0 try again');
      for (const code of codesIn(mail)) codes.add(code);
      const to = mail.to[0]?.address ?? '';
      arrived.set(to, [...(arrived.get(to) ?? []), mail.messageId ?? '']);
      return null;
    },
  });
  const settings = {
    ...store.settings,
    ...mailSettingsOf(server),
    ANAGRAFE_MAIL_WAITS: Array(40).fill('0').join(','),
  };
  let service: Child = await startChild(settings);
  const startedAt = performance.now();
  const records = Array.from({ length: Math.ceil(users / usersPerRecord) }, (_, n) => ({
    ExternalKey: `C-${n}`,
    Users: Array.from({ length: Math.min(usersPerRecord, users - n * usersPerRecord) }, (_unused, k) => {
      const Username = `user.${n * usersPerRecord + k}`;
      return { Username, Email: `${Username}@example.com`, Invite: 'email' };
    }),
  }));
  const answer = await service.call('irs/insert', records, { prefer: 'respond-async' });
  expect(answer.status).toBe(202);
  const logs: string[] = [];
  /** Waits as long as mails arrive. */
  const untilArrived = async (count: number) => {
    while (arrived.size < count) {
      const before = arrived.size;
      await until(() => arrived.size > before);
    }
  };
  for (let kill = 1; kill <= kills; kill++) {
    await untilArrived((kill - 0.6) * usersPerKill);
    await service.end('SIGKILL');
    logs.push(...service.log, ...service.said);
    service = await startChild(settings);
    report(kill);
  }
  await untilArrived(users);
  const seconds = (performance.now() - startedAt) / 1000;
  const states = () =>
    store.database.query(`select state, count(*)::integer as count from anagrafe.mails group by state`);
  await expect.poll(states).toEqual([{ state: 'sent', count: users }]);
  await service.end('SIGTERM');
  logs.push(...service.log, ...service.said);

  const received = [...arrived.values()];
  expect(received.filter((ids) => new Set(ids).size !== 1)).toEqual([]);
  const duplicates = received.reduce((sum, ids) => sum + ids.length - 1, 0);
  process.stdout.write(
    `${users} users in ${seconds.toFixed(1)} s, with ${kills} kills (${Math.round(users / seconds)}/s); ${duplicates} duplicates\n`,
  );
  const texts = await textOfDatabase(store.database);
  const stored = [...codes].filter(
    (code) => texts.includes(code) || texts.includes(code.replaceAll('-', '')),
  );
  expect(stored).toEqual([]);
  const logged = logs.join('\n');
  expect([...codes].filter((code) => logged.includes(code))).toEqual([]);
});

/** Returns every row of every table as text, those of the queue included. */
async function textOfDatabase(database: Awaited<ReturnType<typeof childStore>>['database']): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('anagrafe', 'anagrafe_queue')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ text: string }>(`select whole::text as text from ${name} as whole`);
    texts.push(rows.map(({ text }) => text).join('\n'));
  }
  return texts.join('\n');
}
