import type { CloudEvent, Principal, UserOfPrincipal } from '@anagrafe/client';
import { type Credential, credential } from '@anagrafe/testing/admin';
import { importedUser } from '@anagrafe/testing/jobs';
import { randomNumbers } from '@anagrafe/testing/rounds';
import { type Answer, getText, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { expect } from 'vitest';

interface ModelUser {
  readonly id: number;
  readonly username: string;
}

interface ModelPrincipal {
  readonly id: number;
  readonly key: string;
  name: string;
  tags: readonly string[];
  users: ModelUser[];
}

interface Caller {
  readonly headers: Credential;
  /** Null: not limited. */
  readonly tags: readonly string[] | null;
}

const tagSets = [['a'], ['b'], ['a', 'b'], ['c'], ['a', 'b', 'c']];
const colours = ['rosso', 'verde', 'azzurro'];

/**
 * Sends random requests of limited callers, and of one that is not limited and changes tags meanwhile. Each answer must be
 * that of a model that keeps everything in memory and filters it by the tags of the caller.
 */
export async function expectLimitedAnswers(
  service: TestService,
  requests: number,
  seed: number,
): Promise<void> {
  const numbers = randomNumbers(seed);
  const random = (below: number) => Math.floor(numbers() * below);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[random(items.length)];
  const subset = () => ['a', 'b', 'c'].filter(() => random(2) === 0);
  const admin: Caller = { headers: await credential(service), tags: null };
  const limited: Caller[] = [];
  for (const tags of tagSets) limited.push({ headers: await credential(service, { tags }), tags });
  const stored = new Map<number, ModelPrincipal>();
  /** The tags of deleted principals. */
  const deleted = new Map<number, readonly string[]>();
  let serial = 0;

  const sees = ({ tags }: Caller, of: readonly string[]) =>
    tags === null || of.some((tag) => tags.includes(tag));
  const visible = (caller: Caller) => [...stored.values()].filter(({ tags }) => sees(caller, tags));
  const shown = ({ tags: own }: Caller, tags: readonly string[]) =>
    tags.filter((tag) => !own || own.includes(tag));
  const ownerOf = (username: string) =>
    [...stored.values()].find(({ users }) => users.some((user) => user.username === username));

  async function read<Item>(caller: Caller, path: string, filter: object) {
    const { body, text } = await service.call<Item>(path, filter, { headers: caller.headers });
    if (!body.result) throw new Error(text);
    return body.result;
  }

  /** Sends one record. Returns its first error code, or null with the IDs of what it wrote. */
  async function write(caller: Caller, operation: string, record: object) {
    const headers = { ...caller.headers, prefer: 'return=representation' };
    const answer: Answer = await service.call(`irs/${operation}`, [record], { headers });
    const [tuple] = answer.body.result?.records ?? [];
    if (!tuple) throw new Error(answer.text);
    const code = tuple.Item3 ? null : (Object.values(tuple.Item5)[0]?.[0]?.code ?? tuple.Item2);
    return { code, id: tuple.Item1 ?? 0, users: tuple.Item6.Users ?? [] };
  }

  const anyPrincipal = () => pick([...stored.values()]);
  const naming = ({ id, key }: ModelPrincipal) => (random(2) === 0 ? { ID: id } : { ExternalKey: key });
  const filters = (principals: readonly ModelPrincipal[], caller: Caller) => {
    const one = anyPrincipal();
    const tags = subset();
    const colour = pick(colours) ?? '';
    const all = [
      { filter: {}, found: principals },
      ...(one ? [{ filter: naming(one), found: principals.filter(({ id }) => id === one.id) }] : []),
      ...(tags.length > 0
        ? [
            {
              filter: { Tags: tags },
              found: principals.filter((own) => shown(caller, own.tags).some((tag) => tags.includes(tag))),
            },
          ]
        : []),
    ];
    return { chosen: pick(all) as (typeof all)[number], colour, page: random(3) + 1 };
  };

  const actions: readonly ((caller: Caller) => Promise<void>)[] = [
    async function list(caller) {
      const { chosen, colour, page } = filters(visible(caller), caller);
      const isSearch = random(2) === 0;
      const matches = ({ name, users }: ModelPrincipal) =>
        !isSearch || name.startsWith(colour) || users.some(({ username }) => username.startsWith(colour));
      const found = chosen.found.filter(matches).toSorted((one, other) => one.id - other.id);
      const filter = { ...chosen.filter, ...(isSearch && { Search: colour }), Page: page, PageSize: 4 };
      const result = await read<Principal>(caller, 'irs/list', filter);
      expect(result.totalCount).toBe(found.length);
      expect(
        result.records.map(({ ID, Denomination, Tags, Users }) => [
          ID,
          Denomination,
          Tags ?? [],
          Users.map((user) => user.ID),
        ]),
      ).toEqual(
        found
          .slice((page - 1) * 4, page * 4)
          .map(({ id, name, tags, users }) => [
            id,
            name,
            shown(caller, tags),
            users.map((user) => user.id).toSorted((one, other) => one - other),
          ]),
      );
    },
    async function users(caller) {
      const { chosen, colour, page } = filters(visible(caller), caller);
      const isSearch = random(2) === 0;
      const found = chosen.found
        .flatMap((principal) => principal.users.map((user) => ({ ...user, of: principal.id })))
        .filter(({ username }) => !isSearch || username.startsWith(colour))
        .toSorted((one, other) => one.id - other.id);
      const filter = { ...chosen.filter, ...(isSearch && { Search: colour }), Page: page, PageSize: 4 };
      const result = await read<UserOfPrincipal>(caller, 'irs/users', filter);
      expect(result.totalCount).toBe(found.length);
      expect(result.records.map(({ ID, IRID, Username }) => [ID, IRID, Username])).toEqual(
        found.slice((page - 1) * 4, page * 4).map(({ id, of, username }) => [id, of, username]),
      );
    },
    async function exported(caller) {
      const { text } = await getText(service, '/api/sync/v1/irs/export', caller.headers);
      const lines = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      expect(lines.map(({ ID, Users }) => [ID, Users.length])).toEqual(
        visible(caller)
          .toSorted((one, other) => one.id - other.id)
          .map(({ id, users }) => [id, users.length]),
      );
    },
    async function insert(caller) {
      const taken = random(4) === 0 ? anyPrincipal() : undefined;
      const key = taken?.key ?? `K${++serial}`;
      const name = `${pick(colours)} ${++serial}`;
      const username =
        random(4) === 0
          ? (pick(taken?.users ?? [])?.username ?? `${name}.x`)
          : `${pick(colours)}.${++serial}`;
      const tags = subset();
      const isPermitted = caller.tags === null || tags.every((tag) => caller.tags?.includes(tag));
      const {
        code,
        id,
        users: [user],
      } = await write(caller, 'insert', {
        ExternalKey: key,
        Denomination: name,
        Tags: tags,
        Users: [importedUser(username)],
      });
      const isTaken = taken !== undefined || ownerOf(username) !== undefined;
      expect(code === null).toBe(isPermitted && !isTaken);
      if (code !== null || !user) return;
      const given = tags.length === 0 ? (caller.tags ?? []) : tags;
      stored.set(id, { id, key, name, tags: given, users: [{ id: user.ID ?? 0, username }] });
    },
    async function rename(caller) {
      const principal = anyPrincipal();
      if (!principal) return;
      const name = `${pick(colours)} ${++serial}`;
      const { code } = await write(caller, random(2) === 0 ? 'update' : 'upsert', {
        ID: principal.id,
        Denomination: name,
      });
      const isSeen = sees(caller, principal.tags);
      expect(code).toBe(isSeen ? null : 'PRINCIPAL_NOT_FOUND');
      if (isSeen) principal.name = name;
    },
    async function tag(caller) {
      const principal = anyPrincipal();
      if (!principal) return;
      const tags = subset();
      const { code } = await write(caller, 'update', { ...naming(principal), Tags: tags });
      const own = shown(caller, principal.tags);
      const isPermitted =
        caller.tags === null ||
        (tags.every((one) => caller.tags?.includes(one)) && own.every((one) => tags.includes(one)));
      const expected = isPermitted ? null : 'TAG_NOT_PERMITTED';
      expect(code).toBe(sees(caller, principal.tags) ? expected : 'PRINCIPAL_NOT_FOUND');
      if (code === null)
        principal.tags = [
          ...new Set([
            ...tags,
            ...principal.tags.filter((one) => caller.tags !== null && !caller.tags.includes(one)),
          ]),
        ].toSorted();
    },
    async function register(caller) {
      const [principal, other] = [anyPrincipal(), anyPrincipal()];
      if (!principal) return;
      const username =
        random(3) === 0
          ? (pick(other?.users ?? [])?.username ?? `${pick(colours)}.${++serial}`)
          : `${pick(colours)}.${++serial}`;
      const isTaken = ownerOf(username) !== undefined;
      const {
        code,
        users: [user],
      } = await write(caller, 'update', { ...naming(principal), Users: [importedUser(username)] });
      if (!sees(caller, principal.tags)) expect(code).toMatch(/PRINCIPAL_NOT_FOUND|USERNAME_TAKEN/);
      else expect(code).toBe(isTaken ? 'USERNAME_TAKEN' : null);
      if (code === null && user) principal.users.push({ id: user.ID ?? 0, username });
    },
    async function move(caller) {
      const [target, source] = [anyPrincipal(), anyPrincipal()];
      const user = pick(source?.users ?? []);
      if (!target || !source || !user) return;
      const by = random(2) === 0 ? { ID: user.id } : { Username: user.username };
      const { code } = await write(caller, 'update', {
        ID: target.id,
        Users: [{ Operation: 'move', ...by }],
      });
      const isSeen = sees(caller, target.tags) && sees(caller, source.tags);
      expect(code === null).toBe(isSeen);
      if (code !== null || target === source) return;
      source.users = source.users.filter(({ id }) => id !== user.id);
      target.users.push(user);
    },
    async function remove(caller) {
      const principal = anyPrincipal();
      if (!principal || stored.size < 20) return;
      const { code } = await write(caller, 'delete', naming(principal));
      expect(code).toBe(sees(caller, principal.tags) ? null : 'PRINCIPAL_NOT_FOUND');
      if (code !== null) return;
      stored.delete(principal.id);
      deleted.set(principal.id, principal.tags);
    },
  ];

  for (let at = 0; at < requests; at++) {
    const caller = random(5) === 0 ? admin : (pick(limited) ?? admin);
    const action = (stored.size < 10 ? actions[3] : pick(actions)) as (typeof actions)[number];
    try {
      await action(caller);
    } catch (error) {
      throw new Error(`request ${at} with the seed ${seed}: ${action.name} of ${caller.tags ?? 'admin'}`, {
        cause: error,
      });
    }
  }
  await until(
    async () => (await service.database.query('select from anagrafe.audit_log_waiting')).length === 0,
    () => 'the end of the hash chain',
  );
  for (const caller of limited) {
    const known = new Map([...deleted, ...[...stored.values()].map(({ id, tags }) => [id, tags] as const)]);
    const inserted = [...known].filter(([, tags]) => sees(caller, tags)).map(([id]) => id);
    const found = (await eventsOf(service, caller.headers)).filter(
      ({ type }) => type === 'principal.inserted',
    );
    expect(found.map(({ data }) => (data as { IRID: number }).IRID).toSorted()).toEqual(inserted.toSorted());
  }
}

async function eventsOf(service: TestService, headers: Credential): Promise<CloudEvent[]> {
  const found: CloudEvent[] = [];
  for (let after = '', more = true; more; ) {
    const { text } = await getText(service, `/api/sync/v1/events?pageSize=1000${after}`, headers);
    const { records, record } = JSON.parse(text).result;
    found.push(...records);
    after = `&after=${record.After}`;
    more = record.More;
  }
  return found;
}
