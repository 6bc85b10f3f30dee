// @ts-check
// A client that behaves well: it registers a user, signs it in, finds it and resets its password, again and again, one
// call after the other. Prints its figures as a line of JSON every minute, and for the whole time at the end. It is a
// process of its own, so that nothing but the service makes it wait.
// Argument: JSON with the address of the service, the request headers, the ID of a principal and the seconds to run.
import { setTimeout as sleep } from 'node:timers/promises';

/** @type {{ url: string, headers: Record<string, string>, principal: number, seconds: number }} */
const { url, headers, principal, seconds } = JSON.parse(process.argv[2] ?? '');
const pauseMs = 100;
const maxFailures = 100;
const password = 'correct horse battery';

/** Durations in milliseconds, by kind of call. @type {Record<string, number[]>} */
const durations = { register: [], login: [], find: [], reset: [] };
let failed = 0;
/** The first failures. @type {string[]} */
const failures = [];

/** @param {string} kind @param {string} path @param {unknown} body */
async function call(kind, path, body) {
  const started = performance.now();
  const failure = await failureOf(path, body);
  const ms = performance.now() - started;
  durations[kind]?.push(ms);
  if (failure !== null) {
    failed++;
    if (failures.length < maxFailures)
      failures.push(`${new Date().toISOString()} ${kind} after ${Math.round(ms)} ms: ${failure}`);
  }
  await sleep(pauseMs);
}

/** @param {string} path @param {unknown} body @returns {Promise<string | null>} */
async function failureOf(path, body) {
  try {
    const response = await fetch(`${url}/api/sync/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    return response.status === 200 ? null : `${response.status} ${text.slice(0, 300)}`;
  } catch (error) {
    return `${error} ${error instanceof Error ? (error.cause ?? '') : ''}`;
  }
}

/** @param {number[]} values */
function quantiles(values) {
  const sorted = values.toSorted((one, other) => one - other);
  /** @param {number} part */
  const quantile = (part) => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0);
  return { calls: sorted.length, p50: quantile(0.5), p99: quantile(0.99), slowest: quantile(1) };
}

function figures() {
  const byKind = Object.entries(durations).map(([kind, values]) => [kind, quantiles(values)]);
  return {
    ...quantiles(Object.values(durations).flat()),
    kinds: Object.fromEntries(byKind),
    failed,
    failures,
  };
}

const progress = setInterval(() => process.stdout.write(`${JSON.stringify(figures())}\n`), 60_000);
const end = Date.now() + seconds * 1000;
const secrets = { Password: password, ConfirmPassword: password };
for (let round = 0; Date.now() < end; round++) {
  const Username = `healthy ${process.pid} ${round}`;
  await call('register', 'irs/update', [{ ID: principal, Users: [{ Username, ...secrets }] }]);
  await call('login', 'login', { Username, Password: password });
  await call('find', 'irs/users', { Username });
  await call('reset', 'irs/update', [
    { ID: principal, Users: [{ Operation: 'reset', Username, ...secrets }] },
  ]);
}
clearInterval(progress);
process.stdout.write(`${JSON.stringify(figures())}\n`);
