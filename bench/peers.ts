import { startAnagrafe } from './peers/anagrafe.ts';
import { betterAuth, startBetterAuth } from './peers/better-auth.ts';
import type { Contestant } from './peers/contestant.ts';
import { directus, startDirectus } from './peers/directus.ts';
import { registrations } from './people.ts';
import { median } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { latencyOf, watchHealth } from './running/health.ts';

const rounds = 3;

const others = [
  { ...directus, start: startDirectus },
  { ...betterAuth, start: startBetterAuth },
];

interface Progress {
  readonly contestant: Contestant;
  readonly rates: number[];
  readonly pings: number[];
  /** The reason why the measurement was not completed. */
  failure?: string;
}

/** Measures the users per second of the service, divided by those of its peers, which take turns on one machine. */
export async function peers(atEnd: AtEnd, interruption: AbortSignal): Promise<string> {
  const ours = await warmUp(await startAnagrafe(atEnd));
  const theirs: Progress[] = [];
  const absent: string[] = [];
  for (const { name, version, start } of others) {
    try {
      for (const contestant of await start(atEnd)) theirs.push(await warmUp(contestant));
    } catch (error) {
      absent.push(`${name} ${version} not measured: ${reason(error)}`);
    }
  }
  for (let round = 1; round <= rounds; round++) {
    interruption.throwIfAborted();
    await takeTurn(ours);
    for (const peer of theirs.filter(({ failure }) => failure === undefined)) {
      await takeTurn(peer).catch((error) => {
        peer.failure = reason(error);
      });
    }
  }
  const ratios = theirs.filter(({ failure }) => failure === undefined).map((peer) => ratio(ours, peer));
  const details = [...[ours, ...theirs].map(detail), ...absent];
  return `peers  ${ratios.join(', ') || 'no peer to compare with'}  [${details.join('; ')}]`;
}

async function warmUp(contestant: Contestant): Promise<Progress> {
  await contestant.register(registrations(Math.ceil(contestant.users / 5)));
  return { contestant, rates: [], pings: [] };
}

async function takeTurn({ contestant, rates, pings }: Progress): Promise<void> {
  const users = registrations(contestant.users);
  const watch = watchHealth(contestant.url, contestant.ping);
  const start = performance.now();
  try {
    await contestant.register(users);
    rates.push(users.length / ((performance.now() - start) / 1000));
  } finally {
    pings.push(...watch.stop().times);
  }
}

/** Divides the rates of the same round, because the other load of the machine changes from round to round. */
function ratio(ours: Progress, { contestant, rates }: Progress): string {
  const ratios = rates.map((rate, round) => (ours.rates[round] ?? 0) / rate);
  return `${median(ratios).toFixed(1)} times ${contestant.name} ${contestant.way}`;
}

function detail({ contestant, rates, pings, failure }: Progress): string {
  const { name, version, users, way } = contestant;
  const title = version === undefined ? name : `${name} ${version}`;
  if (failure !== undefined) return `${title} ${way} not measured: ${failure}`;
  const { p99, longest } = latencyOf(pings);
  return `${title} ${median(rates).toFixed(0)} users/s (${rounds} × ${users} ${way}), ping p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`;
}

/** Returns an error message on one line, because the result of the benchmark is one line. */
function reason(error: unknown): string {
  const { message, cause } = error as Error;
  const whole = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return whole.replaceAll(/\s+/g, ' ').slice(0, 300);
}
