import { fill } from './growth.ts';
import { hashedRegistrations } from './people.ts';
import { median } from './ratio.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 1.1;
const users = 1_000_000;
const rounds = 120;
const writes = 12;
/** Number of requests for the comparison of foreign and missing IDs: each takes about a millisecond. */
const lookups = 3000;
/** Part of the first rounds to ignore: they measure the start-up. */
const warmUp = 1 / 6;
const recordsInCall = 1000;

type Headers = Record<string, string>;

/**
 * Measures calls of a client that is limited to half of a million users, and of one that is limited to a thousandth,
 * divided by the same of a client that is not limited; and calls about foreign IDs, divided by those about missing ones.
 */
export async function limited(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const database = await connectTo(service, atEnd);
  await fill(database, users);
  await database.query(`update anagrafe.principals set tags = array['own']
      || case when id % 1000 = 2 then array['few'] else '{}' end where id % 2 = 0`);
  await database.query('vacuum analyze');
  const all = await newClient(service, {}, ['admin']);
  const half = await newClient(service, all, ['sync:read', 'sync:write'], ['own']);
  const few = await newClient(service, all, ['sync:read', 'sync:write'], ['few']);
  const stored = 'stored-50002-1';
  const calls: Record<string, readonly [path: string, body: () => unknown, times: number]> = {
    'first page': ['irs/list', () => ({}), rounds],
    'page 400': ['irs/list', () => ({ Page: 400 }), rounds],
    'by ID': ['irs/list', () => ({ ID: 50_002 }), rounds],
    search: ['irs/list', () => ({ Search: stored }), rounds],
    users: ['irs/users', () => ({ PageSize: 10 }), rounds],
    email: ['irs/users', () => ({ Email: `${stored}@example.com`, PageSize: 10 }), rounds],
    'search users': ['irs/users', () => ({ Search: stored, PageSize: 10 }), rounds],
    disabled: ['irs/users', () => ({ State: 'disabled', PageSize: 10 }), rounds],
    '20 users': ['irs/update', () => [{ ID: 50_002, Users: hashedRegistrations(20) }], rounds],
    '1,000 users of a record': [
      'irs/update',
      () => [{ ID: 50_002, Users: hashedRegistrations(recordsInCall) }],
      writes,
    ],
    '1,000 records': ['irs/insert', newPrincipals, writes],
    'upsert of 1,000': ['irs/upsert', newPrincipals, writes],
  };
  const figures: string[] = [];
  for (const [name, [path, body, times]] of Object.entries(calls)) {
    const [unlimited, ofHalf, ofFew] = await inTurn(times, [all, half, few], (headers) =>
      service.call(path, body(), headers),
    );
    const ratio = (time = 0) => (time / (unlimited ?? 1)).toFixed(2);
    figures.push(`${name} ${ratio(ofHalf)}, ${ratio(ofFew)} (${unlimited?.toFixed(2)} ms)`);
  }
  const [foreign, missing] = [50_001, 999_999_001];
  const hidden: string[] = [];
  for (const [name, path, body] of [
    ['irs/list', 'irs/list', (ID: number) => ({ ID })],
    ['irs/users', 'irs/users', (ID: number) => ({ Username: `stored-${ID}-1` })],
    ['irs/state', 'irs/state?dryRun=true', (ID: number) => [{ ID, State: 'active' }]],
    ['irs/update', 'irs/update?dryRun=true', (ID: number) => [{ ID, Users: hashedRegistrations(1) }]],
  ] as const) {
    const [one = 0, other = 1] = await inTurn(lookups, [foreign, missing], (id) =>
      refused(service, path, body(id), half),
    );
    hidden.push(`${name} ${(one / other).toFixed(3)} (${other.toFixed(3)} ms)`);
  }
  return `limited  half and a thousandth over all: ${figures.join('; ')} (to reach: ${goal} or less)  [foreign over missing IDs: ${hidden.join('; ')}]`;
}

function newPrincipals(): unknown {
  return hashedRegistrations(recordsInCall).map((user) => {
    return { ExternalKey: user.Username, Denomination: `Company ${user.Username}`, Users: [user] };
  });
}

async function newClient(
  { url }: MeasuredService,
  by: Headers,
  Scopes: readonly string[],
  Tags?: readonly string[],
): Promise<Headers> {
  const response = await fetch(`${url}/admin/v1/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...by },
    body: JSON.stringify({ Name: 'bench', Scopes, ...(Tags && { Tags }) }),
  });
  const { result } = (await response.json()) as { result: { record: Record<string, string> } };
  const { PublicKey = '', SecretKey = '' } = result.record;
  return { SyncPublicKey: PublicKey, SyncSecretKey: SecretKey };
}

/** Sends a call that may be refused. */
async function refused(
  { url }: MeasuredService,
  path: string,
  body: unknown,
  headers: Headers,
): Promise<void> {
  const response = await fetch(`${url}/api/sync/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
}

/** Returns the median duration of each variant in milliseconds. They are measured in turn, in a changing order. */
async function inTurn<Variant>(
  times: number,
  variants: readonly Variant[],
  run: (variant: Variant) => Promise<unknown>,
): Promise<number[]> {
  const durations = variants.map((): number[] => []);
  for (let round = 0; round < times; round++) {
    for (let nth = 0; nth < variants.length; nth++) {
      const at = (nth + round) % variants.length;
      const start = performance.now();
      await run(variants[at] as Variant);
      if (round >= times * warmUp) durations[at]?.push(performance.now() - start);
    }
  }
  return durations.map(median);
}
