// @ts-check
// Repeats the shapes of an attack against a service, each in a loop of its own, until the time has passed. Prints how
// often each shape got which answer, as a line of JSON every minute and at the end. A process of its own, without a share
// in the figures.
// Argument: JSON with the address of the service, the path of a job, the seconds to run, the seed of the pauses, and by
// the name of each shape to send the request headers of its clients.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {Record<string, string>} Headers */
/** @type {{ url: string, job: string, seconds: number, seed: number, clients: Record<string, Headers[]> }} */
const { url, job, seconds, seed, clients } = JSON.parse(process.argv[2] ?? '');
const { hostname, port } = new URL(url);
const api = '/api/sync/v1';
const end = Date.now() + seconds * 1000;
/** Longer than the service waits for a client that does not read its answer. */
const holdMs = 90_000;
/** Time limit in milliseconds for an answer that is read, so that no loop waits for the rest of the time. */
const answerMs = 120_000;

/** Sends a call and reads its answer. @param {string} path @param {string} body @param {Headers} headers */
async function post(path, body, headers) {
  const response = await fetch(`${url}${api}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(answerMs),
  });
  await response.arrayBuffer();
  return `${response.status}`;
}

/** Sends a call and reads its answer. @param {string} path @param {Headers} headers */
async function read(path, headers) {
  const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(answerMs) });
  await response.arrayBuffer();
  return `${response.status}`;
}

/** The bytes of a request without a body. @param {string} path @param {Headers} headers */
const get = (path, headers) => `GET ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n`;

/** The bytes of a call. @param {string} path @param {string} body @param {Headers} headers */
const postText = (path, body, headers, length = body.length) =>
  `POST ${api}/${path} HTTP/1.1\r\n${headerLines({ ...headers, 'content-type': 'application/json', 'content-length': `${length}` })}\r\n${body}`;

/** @param {Headers} headers */
function headerLines(headers) {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return lines.join('');
}

/**
 * Opens a connection that sends bytes and reads no more than `bytesPerSecond` of the answer. Returns the status of the
 * first answer, and whether the service closed the connection.
 * @param {string} bytes @param {{ readPerSecond?: number, sendPerSecond?: string, forMs?: number }} [options]
 */
async function hold(bytes, { readPerSecond = 0, sendPerSecond = '', forMs = holdMs } = {}) {
  let status = '';
  // `onread` bounds what is taken from the kernel; a paused stream would still take 64 KB.
  const onread = {
    buffer: Buffer.alloc(Math.max(16, readPerSecond)),
    /** @param {number} size @param {Uint8Array} buffer */
    callback(size, buffer) {
      status ||= Buffer.from(buffer.buffer, 0, size).toString('latin1').slice(9, 12);
      return false;
    },
  };
  const socket = connect({ port: Number(port), host: hostname, onread });
  let isClosed = false;
  socket.on('error', () => {
    isClosed = true;
  });
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write(bytes);
  const until = Math.min(Date.now() + forMs, end);
  while (!isClosed && Date.now() < until) {
    await sleep(1000);
    if (sendPerSecond !== '') socket.write(sendPerSecond);
    if (readPerSecond > 0) socket.resume();
  }
  // A connection that reads nothing does not notice its end. Writing to a closed connection is an error.
  for (let n = 0; n < 3 && !isClosed; n++) {
    socket.write('\r\n');
    await sleep(200);
  }
  socket.destroy();
  return [status || 'no answer', ...(isClosed ? ['closed'] : [])];
}

/** @param {number} count @param {() => Promise<string | string[]>} send */
const times = async (count, send) => (await Promise.all(Array.from({ length: count }, send))).flat();

const usersPage = JSON.stringify({ PageSize: 1000, Search: 'large' });
const importedHash =
  '$argon2id$v=19$m=4096,t=1,p=1$NpiOLOF+z0NaZq4oh/1jGA$UkvAoo/+3B2vvo2RrEYsIhBYPPlGh6h0A72kF58LaAs';

/** 100,000 users with 20 attributes each, of 9,901 names and in another order for each user: 31 MB. Written as text, because objects would be slow. */
function manyNames() {
  const records = Array.from({ length: 10 }, (_, record) => {
    const users = Array.from({ length: 10_000 }, (_, at) => {
      const n = record * 10_000 + at;
      const attributes = Array.from(
        { length: 20 },
        (_, m) => `"n${(n * 7 + m * (1 + (n % 9900))) % 9901}":""`,
      );
      const password = `qz${String(n).padStart(6, '0')}`;
      const secrets = `"Password":"${password}","ConfirmPassword":"${password}"`;
      return `{"Username":"n${n}",${secrets},"Attributes":{${attributes.join(',')}}}`;
    });
    return `{"ExternalKey":"names ${record}","Denomination":"Names","Users":[${users.join(',')}]}`;
  });
  return `[${records.join(',')}]`;
}

/** A record with 100 users whose passwords have to be hashed. @param {number} round */
function hashedUsers(round) {
  const Users = Array.from({ length: 100 }, (_, n) => {
    const Password = `the long password ${round} ${n}`;
    return { Username: `submitted ${process.pid} ${round} ${n}`, Password, ConfirmPassword: Password };
  });
  return JSON.stringify([{ Denomination: `Job ${round}`, Users }]);
}

const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
const hostileBodies = [
  deep,
  `[{"ID":1,"Users":${deep}}]`,
  `[${'{"ID":1e400,"Users":[]},'.repeat(20_000)}{}]`,
  `[{"__proto__":{"ID":1},"constructor":{"prototype":{}},"Users":[{"__proto__":null}]}]`,
  `[{"ID":1,${'"ID":1,'.repeat(100_000)}"Users":[]}]`,
  `[{"Denomination":"${'\\ud800'.repeat(100_000)}"}]`,
  `["${'a'.repeat(3_000_000)}"]`,
  `[${'0,'.repeat(500_000)}0]`,
  JSON.stringify([
    { ID: 1, Users: Array.from({ length: 10_000 }, () => ({ Email: 'no', PasswordHash: importedHash })) },
  ]),
];

/** The part of a 30 MB body that is sent at once. */
const startOfBody = `[{"Denomination":"${'x'.repeat(4_000_000)}`;

/**
 * The shapes. `send` runs once for each client of the shape, all of them at the same time.
 * @type {Record<string, { pauseMs: number; send(headers: Headers, round: number): Promise<string | string[]> }>}
 */
const shapes = {
  'openapi.json': {
    pauseMs: 1_000,
    send: () => times(14, () => hold(get('/openapi.json', {}).repeat(1_600), { forMs: 10_000 })),
  },
  'docs/static': {
    pauseMs: 1_000,
    send: () =>
      times(14, () => hold(get('/docs/static/swagger-ui-bundle.js', {}).repeat(1_600), { forMs: 10_000 })),
  },
  'page of users': {
    pauseMs: 1_000,
    send: (headers) => times(25, () => hold(postText('irs/users', usersPage, headers).repeat(10))),
  },
  'page of outcomes': {
    pauseMs: 1_000,
    send: (headers) => {
      const all = get(`${job}?pageSize=1000`, { ...headers, prefer: 'return=representation' });
      const failed = get(`${job}/failed`, headers);
      return times(25, () => hold(`${all}${failed}`.repeat(5)));
    },
  },
  'page of the audit log': {
    pauseMs: 1_000,
    send: (headers) => times(25, () => hold(get('/admin/v1/audit?pageSize=1000', headers).repeat(10))),
  },
  'page of events': {
    pauseMs: 1_000,
    send: (headers) => times(25, () => hold(get(`${api}/events?pageSize=1000`, headers).repeat(10))),
  },
  export: {
    pauseMs: 1_000,
    send: (headers) => times(4, () => hold(get(`${api}/irs/export`, headers))),
  },
  'slow reader': {
    pauseMs: 1_000,
    send: (headers) =>
      times(10, () => hold(postText('irs/users', usersPage, headers), { readPerSecond: 16 })),
  },
  'dry run': { pauseMs: 5_000, send: (headers) => post('irs/upsert?dryRun=true', names, headers) },
  'jobs over quota': {
    pauseMs: 100,
    send: (headers, round) => post('irs/insert', hashedUsers(round), { ...headers, prefer: 'respond-async' }),
  },
  'poll of a job': { pauseMs: 500, send: (headers) => times(20, () => read(job, headers)) },
  'hostile JSON': {
    pauseMs: 500,
    send: (headers, round) => post('irs/update', hostileBodies[round % hostileBodies.length] ?? '', headers),
  },
  'wrong login': {
    pauseMs: 100,
    send: (headers, round) => {
      const body = JSON.stringify({ Username: `nobody ${round}`, Password: 'wrong' });
      return post('login', body, round % 2 === 0 ? headers : {});
    },
  },
  'wrong credential': {
    pauseMs: 100,
    send: (headers) => times(5, () => read(job, { ...headers, SyncSecretKey: 'wrong' })),
  },
  'slow body': {
    pauseMs: 1_000,
    send: (headers) =>
      times(30, () => hold(postText('irs/update', startOfBody, headers, 30_000_000), { sendPerSecond: 'x' })),
  },
  'slow body without a credential': {
    pauseMs: 1_000,
    send: () =>
      times(50, () => hold(postText('login', '{', {}, 16_000), { sendPerSecond: ' ', forMs: 15_000 })),
  },
};

let randomState = seed % 2 ** 31;
/** Returns a number from 0 to below 1 (the minimal standard generator of Park and Miller). */
function random() {
  randomState = (randomState * 48_271 + 1) % 2_147_483_647;
  return randomState / 2_147_483_647;
}

const names = 'dry run' in clients ? manyNames() : '';
/** @type {Record<string, Record<string, number>>} */
const seen = {};

/** @param {string} name @param {Headers} headers */
async function repeat(name, headers) {
  const shape = shapes[name];
  if (!shape) throw new Error(`there is no shape "${name}"`);
  const answers = seen[name] ?? {};
  seen[name] = answers;
  for (let round = 0; Date.now() < end; round++) {
    const got = await shape.send(headers, round).catch((error) => `${error.cause?.code ?? error}`);
    for (const answer of [got].flat()) answers[answer] = (answers[answer] ?? 0) + 1;
    await sleep(shape.pauseMs * (0.5 + random()));
  }
}

setInterval(() => process.stdout.write(`${JSON.stringify(seen)}\n`), 60_000);
const loops = Object.entries(clients).flatMap(([name, each]) => each.map((headers) => repeat(name, headers)));
await Promise.all(loops);
process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit());
