import { wrongFigures } from '@anagrafe/testing/figures';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { waitLimitMs } from '@anagrafe/testing/until';
import fc from 'fast-check';
import { Pool } from 'undici';
import { expect } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import { codes } from '../../src/lib/error-codes.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';
import { type Sample, samples, type World } from './random-bodies.ts';

const bodiesPerRound = 200;

/** Inserts five principals with two users each. */
async function newWorld(service: TestService): Promise<World> {
  const principals = await insertPrincipals(service, 5);
  const records = principals.map((ID) => ({ ID, Users: [newUser(`first ${ID}`), newUser(`second ${ID}`)] }));
  const { body } = await service.call('irs/update', records, {
    headers: { prefer: 'return=representation' },
  });
  const users = (body.result?.records ?? []).flatMap((tuple) =>
    (tuple.Item6.Users ?? []).map(({ ID }) => ({ id: ID, principal: tuple.Item1 ?? 0 })),
  );
  return { principals, users };
}

interface StoredUser {
  readonly principal: number;
  readonly username: string;
  readonly email: string | null;
}

/** The data that must be stored according to the tuples of the answers. */
class Model {
  readonly principals = new Set<number>();
  readonly users = new Map<number, StoredUser>();
  /** The hashes that were sent, by user ID. All other users have a hash that the service computed. */
  readonly sentHashes = new Map<number, unknown>();
  /** The IDs of users whose passwords were reset, each with the principal of its record. */
  readonly resets: { readonly id: number; readonly principal: number }[] = [];

  apply(path: Sample['path'], record: Record<string, unknown>, tuple: Tuple): void {
    const principal = tuple.Item1 ?? 0;
    if (path === 'irs/insert') {
      expect(this.principals.has(principal)).toBe(false);
      this.principals.add(principal);
    }
    const sent = (record.Users ?? []) as Record<string, unknown>[];
    const written = tuple.Item6.Users ?? [];
    expect(written).toHaveLength(sent.length);
    for (const [position, user] of written.entries()) {
      const item = sent[position] as Record<string, unknown>;
      if (user.Operation === 'register') {
        expect(this.users.has(user.ID)).toBe(false);
        expect([user.Username, user.Email]).toEqual([item.Username, item.Email ?? null]);
        this.users.set(user.ID, { principal, username: user.Username ?? '', email: user.Email });
        if (item.PasswordHash !== undefined) this.sentHashes.set(user.ID, item.PasswordHash);
      } else {
        expect([user.Operation, user.ID]).toEqual(['reset', item.ID]);
        this.sentHashes.delete(user.ID);
        this.resets.push({ id: user.ID, principal });
      }
    }
  }
}

async function post(pool: Pool, { path, bytes }: Sample): Promise<{ status: number; text: string }> {
  const answer = await pool.request({
    path: `/api/sync/v1/${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'return=representation' },
    body: bytes,
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

const secret = /correct horse|\$argon2/;

/** Returns the names of all fields of a body; none if it is not valid JSON. */
function namesIn({ bytes }: Sample): string[] {
  const names: string[] = [];
  try {
    JSON.parse(bytes.toString(), (name, value) => {
      names.push(name);
      return value;
    });
  } catch {
    return [];
  }
  return names;
}

/** Asserts the structure of an answer, and applies its successful records to the model. */
function judge(sample: Sample, answer: { status: number; text: string }, model: Model): void {
  const envelope = JSON.parse(answer.text) as Envelope<Tuple>;
  expect(Object.keys(envelope)).toEqual(['statusCode', 'errorCode', 'message', 'result', 'debug']);
  expect(envelope.statusCode).toBe(answer.status);
  expect([200, 207, 400, 413, 422]).toContain(answer.status);
  expect(envelope.debug).toBeNull();
  // The name of an unknown field is returned, and a damaged text may have a secret in the place of a name.
  if (!namesIn(sample).some((name) => secret.test(name))) expect(answer.text).not.toMatch(secret);
  if (answer.status === 200) expect([envelope.errorCode, envelope.message]).toEqual([null, null]);
  else expectError({ code: envelope.errorCode, message: envelope.message });
  if (answer.status === 400 || answer.status === 413) {
    expect(envelope.result).toBeNull();
    return;
  }

  const sent = JSON.parse(new TextDecoder().decode(sample.bytes)) as Record<string, unknown>[];
  const { records, ...figures } = envelope.result ?? { records: [] };
  const total = sent.length;
  expect(figures).toEqual({ totalCount: total, totalPages: 1, page: 1, count: total, record: null });
  expect(records).toHaveLength(total);
  const applied = records.filter((tuple) => tuple.Item3).length;
  expect(answer.status).toBe(applied === total ? 200 : applied > 0 ? 207 : 422);
  for (const [position, tuple] of records.entries()) {
    const record = sent[position] as Record<string, unknown>;
    expect(Object.keys(tuple)).toEqual(['Item1', 'Item2', 'Item3', 'Item4', 'Item5', 'Item6']);
    if (tuple.Item3) {
      expect(tuple).toMatchObject({ Item2: null, Item4: null, Item5: {} });
      // A record without an ID has the ExternalKey of a principal that an earlier body has inserted.
      if (sample.path === 'irs/update' && record.ID === undefined)
        expect(model.principals).toContain(tuple.Item1);
      else if (sample.path === 'irs/update') expect(tuple.Item1).toBe(record.ID);
      model.apply(sample.path, record, tuple);
    } else {
      expectError({ code: tuple.Item2, message: tuple.Item4 });
      expect(codes[tuple.Item2 as keyof typeof codes]).toBe('record');
      expect(['NOT_APPLIED', 'OUTCOME_UNKNOWN']).not.toContain(tuple.Item2);
      const id =
        sample.path === 'irs/update' && Number.isSafeInteger(record.ID) ? Number(record.ID) + 0 : null;
      expect(tuple.Item1).toBe(id);
      const fieldErrors = Object.values(tuple.Item5);
      expect(fieldErrors.length).toBeGreaterThan(0);
      for (const errors of fieldErrors) for (const error of errors) expectError(error);
      const named = id === null ? [{}, { ExternalKey: record.ExternalKey }] : [{}];
      expect(named).toContainEqual(tuple.Item6);
    }
  }
}

function expectError({ code, message }: { code: string | null; message: string | null }): void {
  expect(codes).toHaveProperty(String(code));
  expect(message).toMatch(/^["A-Z\d]./s);
  expect(message).not.toMatch(/undefined|NaN|\[object/);
}

async function judgeAll(pool: Pool, batch: readonly Sample[], model: Model): Promise<void> {
  const answers = await Promise.all(
    batch.map(async (sample) => {
      try {
        return { sample, answer: await post(pool, sample) };
      } catch (cause) {
        throw new Error(`no answer to ${show(sample)}`, { cause });
      }
    }),
  );
  for (const { sample, answer } of answers) {
    try {
      judge(sample, answer, model);
    } catch (cause) {
      throw new Error(`${show(sample)} was answered with ${answer.status} ${answer.text.slice(0, 2000)}`, {
        cause,
      });
    }
  }
}

function show({ path, bytes }: Sample): string {
  return `${path} ${bytes.subarray(0, 2000).toString('latin1')} (${bytes.length} bytes)`;
}

/** Asserts that the stored data equals the model, and that all stored counters are correct. */
async function expectStored({ database, config }: TestService, model: Model): Promise<void> {
  const ownCost = `$argon2id$v=19$m=${config.HASH_MEMORY_KIB},t=${config.HASH_PASSES},p=1$`;
  const principals = await database.query<{ id: number }>('select id from anagrafe.principals');
  expect(new Set(principals.map(({ id }) => id))).toEqual(model.principals);
  const users = await database.query<{ id: number; reset: boolean; hash: string } & StoredUser>(
    `select id, principal_id as principal, username, email, password_changed_at > created_at as reset,
            password_hash as hash from anagrafe.users`,
  );
  const storedUsers = new Map(
    users.map(({ id, principal, username, email }) => [id, { principal, username, email }]),
  );
  expect(storedUsers).toEqual(model.users);
  const reset = new Set(users.filter((user) => user.reset).map((user) => user.id));
  expect(reset).toEqual(new Set(model.resets.map(({ id }) => id)));
  expect(model.resets.filter(({ id, principal }) => model.users.get(id)?.principal !== principal)).toEqual(
    [],
  );
  const computed = users.filter(({ id }) => !model.sentHashes.has(id));
  expect(computed.filter(({ hash }) => !hash.startsWith(ownCost))).toEqual([]);
  const imported = users.filter(({ id }) => model.sentHashes.has(id));
  expect(new Map(imported.map(({ id, hash }) => [id, hash]))).toEqual(model.sentHashes);

  expect(await wrongFigures(database)).toEqual([]);
}

/**
 * Sends this number of bodies to a new service. Asserts the structure of each answer, and that the stored data is
 * exactly what the answers report. The bodies are the same for the same seed. `report` receives the number of bodies that
 * were sent.
 */
export async function expectSoundAnswers(
  bodies: number,
  seed: number,
  report: (sent: number) => void = () => {},
): Promise<void> {
  const service = await startTestService();
  const world = await newWorld(service);
  const model = new Model();
  for (const id of world.principals) model.principals.add(id);
  for (const user of await service.database.query<{ id: number } & StoredUser>(
    'select id, principal_id as principal, username, email from anagrafe.users',
  )) {
    const { id, ...stored } = user;
    model.users.set(id, stored);
  }
  const pool = new Pool(service.url, {
    connections: 16,
    headersTimeout: waitLimitMs,
    bodyTimeout: waitLimitMs,
  });
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(samples(world), { minLength: bodiesPerRound, maxLength: bodiesPerRound }),
      async (batch) => {
        await judgeAll(pool, batch, model);
        sent += batch.length;
        report(Math.min(sent, bodies));
      },
    ),
    {
      numRuns: Math.ceil(bodies / bodiesPerRound),
      endOnFailure: true,
      maxSkipsPerRun: 0,
      seed,
    },
  );
  await pool.close();

  await expectStored(service, model);
  expect(sent).toBeGreaterThanOrEqual(bodies);
  expect(model.users.size).toBeGreaterThan(world.users.length);
  expect(model.resets.length).toBeGreaterThan(0);
  expect(service.log.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  await expect.poll(async () => (await fetch(`${service.url}/health/ready`)).status).toBe(200);
}
