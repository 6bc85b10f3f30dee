// @ts-check
// Repeats the shapes of an attack against a service, each in a loop of its own, until the time has passed. Prints how
// often each shape was repeated and which status codes it got. A process of its own, without a share in the figures.
// Arguments: the address, the request headers as JSON, the path of a job, the shapes to send (JSON), the seconds to run.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [url = '', credential = '{}', job = '', wanted = '[]', seconds = '10'] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const headers = JSON.parse(credential);
const end = Date.now() + Number(seconds) * 1000;
/** @type {Record<string, Record<string, number>>} */
const seen = {};

/** Sends a call and reads its answer. @param {string} path @param {string} body @param {Record<string, string>} more */
async function post(path, body, more = {}) {
  const sent = { 'content-type': 'application/json', ...headers, ...more };
  const response = await fetch(`${url}/api/sync/v1/${path}`, { method: 'POST', headers: sent, body });
  await response.arrayBuffer();
  return response.status;
}

/** Opens connections that send the same bytes each and never read an answer. @param {number} count @param {string} bytes */
async function neverRead(count, bytes) {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(bytes);
    return socket;
  });
  await sleep(10_000);
  const closed = sockets.filter((socket) => socket.destroyed || socket.errored).length;
  for (const socket of sockets) socket.destroy();
  return `${closed} of ${count} closed by the service`;
}

const headerLines = Object.entries({ host: 'localhost', ...headers })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
/** @param {string} path */
const get = (path) => `GET ${path} HTTP/1.1\r\n${headerLines}\r\n`;
const usersPage = JSON.stringify({ PageSize: 1000, Search: 'large' });
const readUsers = `POST /api/sync/v1/irs/users HTTP/1.1\r\n${headerLines}content-type: application/json\r\ncontent-length: ${usersPage.length}\r\n\r\n${usersPage}`;

/** Users of a dry run whose attributes have 9,900 names. */
function manyNames() {
  const Users = Array.from({ length: 9_000 }, (_, n) => {
    const names = Array.from({ length: 20 }, (_, m) => [`name_${(n * 20 + m) % 9_900}`, 'v']);
    return { Username: `names ${n}`, Attributes: Object.fromEntries(names), PasswordHash: hash };
  });
  const records = Array.from({ length: 9 }, (_, n) => ({
    Denomination: `Names ${n}`,
    Users: Users.slice(n * 1_000, (n + 1) * 1_000),
  }));
  return JSON.stringify(records);
}
const hash =
  '$argon2id$v=19$m=4096,t=1,p=1$NpiOLOF+z0NaZq4oh/1jGA$UkvAoo/+3B2vvo2RrEYsIhBYPPlGh6h0A72kF58LaAs';

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
];

/** @type {Record<string, { pauseMs: number; send(round: number): Promise<unknown> }>} */
const shapes = {
  'openapi.json': { pauseMs: 1_000, send: () => neverRead(14, get('/openapi.json').repeat(1_600)) },
  'docs/static': {
    pauseMs: 1_000,
    send: () => neverRead(14, get('/docs/static/swagger-ui-bundle.js').repeat(1_600)),
  },
  'page of users': { pauseMs: 1_000, send: () => neverRead(25, readUsers.repeat(10)) },
  'page of outcomes': { pauseMs: 1_000, send: () => neverRead(25, get(`${job}?pageSize=1000`).repeat(10)) },
  'dry run': { pauseMs: 5_000, send: () => post('irs/insert?dryRun=true', names) },
  'wrong login': {
    pauseMs: 100,
    send: (round) => post('login', JSON.stringify({ Username: `nobody ${round}`, Password: 'wrong' })),
  },
  'jobs over quota': {
    pauseMs: 100,
    send: (round) =>
      post('irs/insert', JSON.stringify([{ Denomination: `Job ${round}` }]), { prefer: 'respond-async' }),
  },
  'poll of a job': {
    pauseMs: 1_000,
    send: async () => {
      const polls = Array.from({ length: 20 }, () => fetch(url + job, { headers }));
      const answers = await Promise.all(polls);
      await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      return answers.map(({ status }) => status).sort()[19];
    },
  },
  'hostile JSON': {
    pauseMs: 500,
    send: (round) => post('irs/update', hostileBodies[round % hostileBodies.length] ?? ''),
  },
  'slow body': {
    pauseMs: 1_000,
    send: () =>
      neverRead(
        50,
        `POST /api/sync/v1/irs/update HTTP/1.1\r\n${headerLines}content-type: application/json\r\ncontent-length: 30000000\r\n\r\n[`,
      ),
  },
};

const selected = Object.entries(shapes).filter(([name]) => JSON.parse(wanted).includes(name));
const names = selected.some(([name]) => name === 'dry run') ? manyNames() : '';

await Promise.all(
  selected.map(async ([name, { pauseMs, send }]) => {
    /** @type {Record<string, number>} */
    const answers = {};
    seen[name] = answers;
    for (let round = 0; Date.now() < end; round++) {
      const answer = String(await send(round).catch((error) => error.cause?.code ?? error));
      answers[answer] = (answers[answer] ?? 0) + 1;
      await sleep(pauseMs);
    }
  }),
);
process.stdout.write(JSON.stringify(seen));
process.exit();
