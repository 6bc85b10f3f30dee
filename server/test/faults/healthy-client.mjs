// @ts-check
// A client that behaves well: four calls a second, one after the other. Prints their durations and failures as JSON.
// It is a process of its own, so that nothing but the service makes it wait.
// Arguments: the address of the service, the request headers as JSON, the ID of a principal, the seconds to run.

const [url = '', headers = '{}', principal = '', seconds = '10'] = process.argv.slice(2);
const pauseMs = 250;
const password = 'correct horse battery';

/** @type {number[]} */
const durations = [];
/** @type {string[]} */
const failures = [];

/** @param {string} path @param {unknown} body */
async function call(path, body) {
  const started = performance.now();
  try {
    const response = await fetch(`${url}/api/sync/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...JSON.parse(headers) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (response.status !== 200) failures.push(`${path} ${response.status} ${text.slice(0, 200)}`);
  } catch (error) {
    failures.push(`${path} ${error}`);
  }
  durations.push(performance.now() - started);
}

const end = Date.now() + Number(seconds) * 1000;
const ID = Number(principal);
const secrets = { Password: password, ConfirmPassword: password };
for (let round = 0; Date.now() < end; round++) {
  const Username = `healthy ${process.pid} ${round}`;
  await call('irs/update', [{ ID, Users: [{ Username, ...secrets }] }]);
  await pause();
  await call('login', { Username, Password: password });
  await pause();
  await call('irs/users', { Username });
  await pause();
  await call('irs/update', [{ ID, Users: [{ Operation: 'reset', Username, ...secrets }] }]);
  await pause();
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}

durations.sort((one, other) => one - other);
/** @param {number} part */
const quantile = (part) => Math.round(durations[Math.floor((durations.length - 1) * part)] ?? 0);
const figures = { calls: durations.length, p50: quantile(0.5), p99: quantile(0.99), slowest: quantile(1) };
process.stdout.write(JSON.stringify({ ...figures, failures }));
