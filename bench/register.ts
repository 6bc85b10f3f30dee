import { bareRate } from './bare.ts';
import { watchHealth } from './health.ts';
import { type MeasuredService, startService } from './service.ts';

const users = 1000;
const rounds = 3;
const goal = 0.9;

/** A call of 1,000 users, over bare hashing on the same cores before and after it. */
export async function register(): Promise<string> {
  const service = await startService();
  try {
    const { result } = await service.call('irs/insert', [{ Denomination: 'Bench' }]);
    const principal = result.records[0]?.Item1 ?? 0;
    await bareRate(100);
    const ratios: number[] = [];
    const lines: string[] = [];
    for (let round = 1; round <= rounds; round++) {
      const before = await bareRate(users / 2);
      const health = watchHealth(service.url);
      const rate = await callRate(service, principal, round);
      const { longest, p99 } = health.stop();
      const bare = (before + (await bareRate(users / 2))) / 2;
      ratios.push(rate / bare);
      lines.push(
        `${rate.toFixed(0)}/${bare.toFixed(0)} users/s, health p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`,
      );
    }
    const ratio = ratios.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
    return `register  ${ratio.toFixed(2)} of bare hashing (to reach: ${goal})  [${lines.join('; ')}]`;
  } finally {
    await service.stop();
  }
}

async function callRate(service: MeasuredService, principal: number, round: number): Promise<number> {
  const body = Array.from({ length: users }, (_, n) => {
    const password = `a measured password ${round} ${n}`;
    return { Username: `bench-${round}-${n}`, Password: password, ConfirmPassword: password };
  });
  const start = performance.now();
  await service.call('irs/update', [{ ID: principal, Users: body }]);
  return users / ((performance.now() - start) / 1000);
}
