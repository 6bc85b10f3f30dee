import { browserOf } from '@anagrafe/testing/console';
import { asOperator, operator } from '@anagrafe/testing/operators';
import { beforeAll, expect, it } from 'vitest';
import { type Role, roles } from '../../src/clients/permissions.ts';
import { ask, documentedRoutes, neutral } from './limited-requests.ts';
import { routes } from './limited-routes.ts';
import { type LimitedWorld, openLimitedWorld } from './limited-world.ts';

type Sessions = Readonly<Record<Role, Record<string, string>>>;

let world: LimitedWorld;

beforeAll(async () => {
  world = await openLimitedWorld();
});

/** Creates an operator of each role and signs it in. */
async function signedIn(name: string, tags: readonly string[] | null): Promise<Sessions> {
  const sessions: [Role, Record<string, string>][] = [];
  for (const role of roles) {
    await operator(world.service, `${name}.${role}@example.com`, role, tags);
    sessions.push([role, await asOperator(world.service, `${name}.${role}@example.com`)]);
  }
  return Object.fromEntries(sessions) as Sessions;
}

/** Replaces the parameters of a path by IDs that do not exist. */
function pathOf(template: string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'publicKey') return 'agp_nobody';
    const numbered =
      template.includes('/webhooks/{id}') || /\/(users|operators|mails)\/\{id\}/.test(template);
    return name === 'position' || (name === 'id' && numbered)
      ? '999999'
      : '00000000-0000-0000-0000-000000000000';
  });
}

/** Returns true if the role may call the route. */
async function mayCall(route: string, headers: Record<string, string>): Promise<boolean> {
  const [method = '', path = ''] = route.split(' ');
  const body = ['POST', 'PATCH', 'PUT'].includes(method) ? {} : undefined;
  const { status } = await browserOf(world.service)(`${method} ${pathOf(path)}`, headers, body);
  expect(status, route).toBeLessThan(500);
  expect(status, route).not.toBe(429);
  return status !== 401 && status !== 403;
}

/** Returns what a limited operator gets: nothing, its own part and nothing foreign, or an answer without principals. */
async function partOf(route: string, headers: Record<string, string>): Promise<string> {
  if (!(await mayCall(route, headers))) return '–';
  if (typeof routes[route] !== 'function') return 'yes';
  const answersAbout = async (name: 'foreign' | 'missing') =>
    neutral(await ask(world.service, headers, route, world[name], 1), world[name]);
  expect(await answersAbout('foreign'), route).toEqual(await answersAbout('missing'));
  const [own] = await ask(world.service, headers, route, world.own, 1);
  // The session has ended when the second role ends it, and the role `desk` issues only the codes of jobs of `irs/invite`.
  const others = route.startsWith('DELETE') ? [404] : route.endsWith('/invitations') ? [403] : [];
  expect([200, 207, 422, ...others], `${route}: ${own?.text}`).toContain(own?.status);
  return 'own';
}

it('the role and the tags of a caller decide about every route, as docs/roles.md lists', async () => {
  const all = await signedIn('all', null);
  const limited = await signedIn('limited', [world.own.tag]);
  const rows: string[] = [];
  const limitedRows: string[] = [];
  const rowOf = (route: string, cells: readonly string[]) => `| \`${route}\` | ${cells.join(' | ')} |`;
  const inOrder = (await documentedRoutes(world.service)).toSorted((one, other) =>
    one.replace(/^\w+ /, '') < other.replace(/^\w+ /, '') ? -1 : 1,
  );
  for (const route of inOrder) {
    const [cells, limitedCells]: [string[], string[]] = [[], []];
    for (const role of roles) {
      cells.push((await mayCall(route, all[role])) ? 'yes' : '–');
      limitedCells.push(await partOf(route, limited[role]));
    }
    rows.push(rowOf(route, cells));
    limitedRows.push(rowOf(route, limitedCells));
  }
  const head = `| route | ${roles.join(' | ')} |\n| --- |${' --- |'.repeat(roles.length)}`;
  const page = `# Routes by role

What each [role](operators.md#roles) of an operator may call. A test writes this page from the answers of the service.

${[head, ...rows].join('\n')}

## Limited operators

The same for operators that are [limited by tags](guides/limited-clients.md). \`own\`: the answers are about its own part, and about a foreign principal they are the same as
about a missing one.

${[head, ...limitedRows].join('\n')}
`;
  await expect(page).toMatchFileSnapshot('../../../docs/roles.md');
});
