import { type BrowserAnswer, browserOf } from '@anagrafe/testing/console';
import { getText } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from './limited-routes.ts';
import { type LimitedWorld, openLimitedWorld, type Subject } from './limited-world.ts';

let world: LimitedWorld;

beforeAll(async () => {
  world = await openLimitedWorld();
});

/** Returns the routes of `openapi.json` as `GET /path`. */
async function documentedRoutes(): Promise<string[]> {
  const response = await fetch(`${world.service.url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths)
    .filter(([path]) => /^\/(api|admin)\//.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
}

/** Replaces the parameters of a path by IDs that do not exist. */
const anyPath = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'publicKey' ? 'agp_nobody' : name === 'id' || name === 'position' ? '1' : world.missing.job,
  );

interface Asked {
  readonly status: number;
  readonly text: string;
}

/** Sends the requests of a route that name the subject, as the limited client. The first one changes nothing. */
async function ask(route: string, of: Subject, count?: number): Promise<Asked[]> {
  const requests = routes[route];
  if (typeof requests !== 'function') throw new Error(`${route} has no requests`);
  const [method = ''] = route.split(' ');
  const answers: Asked[] = [];
  for (const { path, body, headers } of requests(of).slice(0, count)) {
    const sent = { ...world.limited, ...headers };
    const answer: Asked | BrowserAnswer =
      method === 'GET'
        ? await getText(world.service, path, sent).then(({ status, text }) => ({ status, text }))
        : await browserOf(world.service)(`${method} ${path}`, sent, body);
    answers.push({ status: answer.status, text: answer.text });
  }
  return answers;
}

/** Replaces what names the subject, so that the answers about two subjects can be compared. */
function neutral(answers: readonly Asked[], of: Subject): Asked[] {
  const names = Object.entries(of).map(([name, value]) => [name, String(value)] as const);
  return answers.map(({ status, text }) => ({
    status,
    text: names
      .reduce(
        (shown, [name, value]) => shown.replaceAll(new RegExp(`\\b${value}\\b`, 'g'), `<${name}>`),
        text,
      )
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/"(Position|id|After)":("?)[\d.]+/g, '"$1":$2<number>')
      .replaceAll(/"Plan":"[^"]+"/g, '"Plan":"<plan>"'),
  }));
}

/** Returns the stored rows of the foreign part. */
async function foreignRows() {
  const { id } = world.foreign;
  const { database } = world.service;
  return [
    await database.query('select * from anagrafe.principals where id = $1', [id]),
    await database.query('select * from anagrafe.users where principal_id = $1 order by id', [id]),
    await database.query(
      'select * from anagrafe.sessions where user_id in (select id from anagrafe.users where principal_id = $1)',
      [id],
    ),
    await database.query(
      'select * from anagrafe.mails where user_id in (select id from anagrafe.users where principal_id = $1) order by id',
      [id],
    ),
    await database.query('select * from anagrafe.mail_waves where call_id = any($1)', [
      [world.foreign.call, world.foreign.job],
    ]),
    await database.query(
      'select * from anagrafe.password_codes where user_id in (select id from anagrafe.users where principal_id = $1) order by digest',
      [id],
    ),
  ];
}

const marks = /foreign|FOREIGN/;

describe('a limited client', () => {
  it('has a case for each route', async () => {
    expect(Object.keys(routes).toSorted()).toEqual((await documentedRoutes()).toSorted());
  });

  it('is refused by the routes whose answers are not limited', async () => {
    const browse = browserOf(world.service);
    const refused = Object.entries(routes).filter(([, treated]) => treated === 'refused');
    for (const [route] of refused) {
      const [method = '', path = ''] = route.split(' ');
      const body = ['POST', 'PATCH'].includes(method) ? {} : undefined;
      const { status, body: answer } = await browse(`${method} ${anyPath(path)}`, world.limited, body);
      expect([route, status, answer?.message]).toEqual([
        route,
        403,
        expect.stringContaining('limited by tags'),
      ]);
    }
  });

  it('gets its own part', async () => {
    // A new principal looks like itself, and cannot be merged into itself.
    const others = Object.entries(routes).filter(
      ([route]) => !/^DELETE|irs.(merge|insert|upsert)/.test(route),
    );
    for (const [route, treated] of others) {
      if (typeof treated !== 'function') continue;
      const [first] = await ask(route, world.own, 1);
      expect(first?.status, `${route}: ${first?.text}`).toBeLessThan(300);
      expect(first?.text).not.toMatch(marks);
    }
  });

  it('gets the same answer about what is foreign as about what is missing, and changes nothing there', async () => {
    const before = await foreignRows();
    // Lists of calls and failures contain what the client itself has sent, so they are read first.
    const sorted = Object.entries(routes).toSorted(([one], [other]) => (one < other ? -1 : 1));
    for (const [route, treated] of sorted) {
      if (typeof treated !== 'function') continue;
      const foreign = await ask(route, world.foreign);
      const missing = await ask(route, world.missing);
      expect(neutral(foreign, world.foreign), route).toEqual(neutral(missing, world.missing));
      for (const { status, text } of missing) {
        expect(status, `${route}: ${text}`).toBeLessThan(500);
        expect(text, route).not.toMatch(marks);
      }
    }
    expect(await foreignRows()).toEqual(before);
  });
});
