import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { insertPrincipals, populate, registrations, resets } from './people.ts';
import type { AtEnd } from './running/endings.ts';
import { latencyOf } from './running/health.ts';
import { type MeasuredService, program, startService } from './running/service.ts';

const goal = 2.5;
const samples = 400;

/** Measures a single reset while the job of another client runs, divided by the same when nothing else runs. */
export async function interactive(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const [one = 0] = await insertPrincipals(service, 1);
  const principals = await insertPrincipals(service, 1000);
  const userIds = await populate(service, [one], 1);
  const [user = 0] = userIds.get(one) ?? [];
  const [busy, calm] = [newClient(service), newClient(service)];

  await measure(service, one, user, calm, 100);
  const idle = await measure(service, one, user, calm, samples);
  const body = principals.map((ID) => ({ ID, Users: registrations(10) }));
  const { ID } = await service.submit('irs/update', body, busy);
  await sleep(1000);
  const during = await measure(service, one, user, calm, samples);
  await fetch(`${service.url}/api/sync/v1/jobs/${ID}`, { method: 'DELETE', headers: busy });
  const figure = (value: number) => `${value.toFixed(1)} ms`;
  return `interactive  ${(during.p99 / idle.p99).toFixed(2)} times the p99 of a single reset while a job of 10,000 runs (to reach: ${goal} or less)  [idle p50 ${figure(idle.p50)}, p99 ${figure(idle.p99)}; meanwhile p50 ${figure(during.p50)}, p99 ${figure(during.p99)}, longest ${figure(during.longest)}]`;
}

async function measure(
  service: MeasuredService,
  principal: number,
  user: number,
  headers: Record<string, string>,
  count: number,
) {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await service.call('irs/update', [{ ID: principal, Users: resets([user]) }], headers);
    times.push(performance.now() - start);
    await sleep(Math.random() * 30);
  }
  const p50 = times.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
  return { p50, ...latencyOf(times) };
}

function newClient({ folder }: MeasuredService): Record<string, string> {
  const args = [program, 'client', 'create', '--name', 'bench', '--json'];
  const env = { ...process.env, ANAGRAFE_DATA: folder };
  const made = JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }));
  return { SyncPublicKey: made.publicKey, SyncSecretKey: made.secret };
}
