import { browserOf } from '@anagrafe/testing/console';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask as askAs, documentedRoutes, neutral } from './limited-requests.ts';
import { routes } from './limited-routes.ts';
import { type LimitedWorld, openLimitedWorld, type Subject } from './limited-world.ts';

let world: LimitedWorld;

beforeAll(async () => {
  world = await openLimitedWorld();
});

/** Replaces the parameters of a path by IDs that do not exist. */
const anyPath = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'publicKey' ? 'agp_nobody' : name === 'id' || name === 'position' ? '1' : world.missing.job,
  );

const ask = (route: string, of: Subject, count?: number) =>
  askAs(world.service, world.limited, route, of, count);

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
    expect(Object.keys(routes).toSorted()).toEqual(await documentedRoutes(world.service));
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
