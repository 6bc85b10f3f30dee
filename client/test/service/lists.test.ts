import { allHashed } from '@anagrafe/testing/audit-chain';
import { importedHash } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anagrafe, type CloudEvent } from '../../src/index.ts';

let service: TestService;
let anagrafe: Anagrafe;
let ids: number[];

beforeAll(async () => {
  service = await startTestService();
  anagrafe = new Anagrafe({ url: service.url });
  ids = await insertPrincipals(service, 7);
  const users = ['uno', 'due', 'tre', 'quattro', 'cinque'];
  await anagrafe.register(
    ids[0] ?? 0,
    users.map((Username) => ({ Username, PasswordHash: importedHash })),
  );
  await allHashed(service);
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a list that the client returns', () => {
  it('iterates over all pages', async () => {
    const principals = await all(anagrafe.list({ PageSize: 3 }));
    expect(principals.map(({ ID }) => ID)).toEqual(ids);
    expect(await all(anagrafe.list({ Search: 'nobody' }))).toEqual([]);
    const users = await all(anagrafe.users({ PageSize: 2 }));
    expect(users.map(({ Username, IRID }) => [Username, IRID])).toEqual(
      ['uno', 'due', 'tre', 'quattro', 'cinque'].map((name) => [name, ids[0]]),
    );
  });

  it('returns a page with the totals', async () => {
    const page = await anagrafe.list({ PageSize: 3 }).page(3);
    expect(page).toMatchObject({ totalCount: 7, totalPages: 3, page: 3, count: 1, record: null });
    expect(page.records.map(({ ID }) => ID)).toEqual([ids[6]]);
    expect((await anagrafe.users({ Username: 'TRE' }).page()).records).toMatchObject([{ Username: 'tre' }]);
  });

  it('requests only the pages that are iterated', async () => {
    let calls = 0;
    const counting = new Anagrafe({
      url: service.url,
      fetch: (url, init) => {
        calls++;
        return fetch(url, init);
      },
    });
    for await (const { ID } of counting.list({ PageSize: 3 })) if (ID === ids[3]) break;
    expect(calls).toBe(2);
    calls = 0;
    await all(counting.list({ PageSize: 3 }));
    expect(calls).toBe(3);
  });
});

describe('an export that the client returns', () => {
  it('iterates over the principals', async () => {
    const exported = await all(anagrafe.exportRecords());
    expect(exported.map(({ ID }) => ID)).toEqual(ids);
    expect(exported[0]?.Users.map(({ Username, PasswordHash }) => [Username, PasswordHash])).toEqual(
      ['uno', 'due', 'tre', 'quattro', 'cinque'].map((name) => [name, undefined]),
    );
    const [first] = await all(anagrafe.exportRecords({ ID: ids[0], hashes: true }));
    expect(first?.Users[0]?.PasswordHash).toBe(importedHash);
    expect(await all(anagrafe.exportRecords({ ExternalKey: 'no such key' }))).toEqual([]);
  });

  it('returns the bytes of a file', async () => {
    const file = Buffer.concat(await all(anagrafe.exportRecords({ ID: ids[0] }).bytes('csv'))).toString();
    expect(file.trimEnd().split('\r\n')).toHaveLength(6);
    expect(file).toContain(',uno,');
  });

  it('returns the same principals however the network divides the bytes', async () => {
    const small = new Anagrafe({
      url: service.url,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        const bytes = new Uint8Array(await response.arrayBuffer());
        const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
          bytes.slice(at * 7, at * 7 + 7),
        );
        return new Response(ReadableStream.from(pieces), response);
      },
    });
    expect(await all(small.exportRecords())).toEqual(await all(anagrafe.exportRecords()));
  });

  it('cancels the response when the loop is left', async () => {
    let cancelled = 0;
    const watched = answering(
      () =>
        new ReadableStream({
          pull: (controller) => controller.enqueue(new TextEncoder().encode('{"ID":1,"Users":[]}\n')),
          cancel: () => {
            cancelled++;
          },
        }),
    );
    for await (const { ID } of watched.exportRecords()) {
      expect(ID).toBe(1);
      break;
    }
    expect(cancelled).toBe(1);
  });

  it('throws if the connection breaks, the service stops sending, or the last line is not complete', async () => {
    const line = new TextEncoder().encode('{"ID":1,"Users":[]}\n{"ID":2');
    const broken = answering(() => {
      let sent = false;
      return new ReadableStream({
        pull(controller) {
          if (sent) return controller.error(new Error('reset'));
          sent = true;
          controller.enqueue(line);
        },
      });
    });
    await expect(all(broken.exportRecords())).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    const silent = answering(() => new ReadableStream({ start: (controller) => controller.enqueue(line) }));
    await expect(all(silent.exportRecords({}, { timeoutMs: 20 }))).rejects.toMatchObject({
      code: 'TIMED_OUT',
    });
    const short = answering(() => ReadableStream.from([line]));
    await expect(all(short.exportRecords())).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });

  it('can be aborted', async () => {
    const aborting = new AbortController();
    const endless = answering(() => new ReadableStream());
    const reading = all(endless.exportRecords({}, { signal: aborting.signal }));
    aborting.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  it('throws the error of the service', async () => {
    await expect(all(anagrafe.exportRecords({ ID: 0 }))).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
      status: 400,
    });
  });

  function answering(bodyOf: () => ReadableStream): Anagrafe {
    return new Anagrafe({ url: service.url, retries: 0, fetch: async () => new Response(bodyOf()) });
  }
});

describe('the events that the client reads', () => {
  it('can be read to the end or page by page', async () => {
    const events = await all(anagrafe.events({ pageSize: 4 }));
    expect(events.filter(({ type }) => type === 'principal.inserted')).toHaveLength(7);
    const names = events.flatMap((event) => (event.type === 'user.registered' ? [event.data.Username] : []));
    expect(names).toEqual(['uno', 'due', 'tre', 'quattro', 'cinque']);
    const first = await anagrafe.events({ pageSize: 4 }).page();
    expect(first).toEqual({ records: events.slice(0, 4), after: events[3]?.id, more: true });
    expect((await anagrafe.events().page(first.after)).records).toEqual(events.slice(4));
    expect(await all(anagrafe.events({ after: events.at(-2)?.id ?? '' }))).toEqual(events.slice(-1));
  });

  it('can be read from the newest to the oldest', async () => {
    const events = await all(anagrafe.events());
    expect(await all(anagrafe.events({ order: 'newest', pageSize: 4 }))).toEqual(events.toReversed());
    const after = events[5]?.id;
    const { records } = await anagrafe.events({ order: 'newest', after, pageSize: 2 }).page();
    expect(records).toEqual([events[4], events[3]]);
    expect(() => anagrafe.events({ order: 'newest', follow: true })).toThrow(TypeError);
  });

  it('can be followed until the caller aborts', async () => {
    const other = await startTestService();
    const own = new Anagrafe({ url: other.url });
    await own.insert([{ Denomination: 'Earlier Srl' }]);
    await allHashed(other);
    const last = (await all(own.events())).at(-1)?.id;
    const controller = new AbortController();
    const reason = new Error('enough');
    const seen: CloudEvent[] = [];
    const following = (async () => {
      const { signal } = controller;
      for await (const event of own.events({ after: last, follow: true, pollMs: 50, signal })) {
        seen.push(event);
        if (event.type === 'call.completed') controller.abort(reason);
      }
    })();
    await own.insert([{ Denomination: 'Later Srl' }]);
    await expect(following).rejects.toBe(reason);
    expect(seen.map(({ type }) => type)).toEqual(['principal.inserted', 'call.completed']);
  });
});

describe('the audit log', () => {
  it('can be read like events, filtered by principal, and verified', async () => {
    const rows = await all(anagrafe.admin.audit.rows({ pageSize: 5 }));
    expect(rows.map(({ Position }) => Position)).toEqual(rows.map((_, index) => index + 1));
    const mine = await all(anagrafe.admin.audit.rows({ principal: ids[0] ?? 0 }));
    expect(mine.map(({ Action }) => Action)).toEqual(expect.arrayContaining(['insert', 'update']));
    const { records } = await anagrafe.admin.audit.rows({ after: rows[1]?.Position, pageSize: 2 }).page();
    expect(records).toEqual(rows.slice(2, 4));
    await anagrafe.users().page();
    await allHashed(service);
    const writes = await all(anagrafe.admin.audit.rows({ order: 'newest', reads: false, pageSize: 4 }));
    const later = await all(anagrafe.admin.audit.rows());
    expect(writes).toEqual(later.filter(({ Action }) => Action !== 'records.read').toReversed());
    expect(writes.length).toBeLessThan(later.length);
    expect(await anagrafe.admin.audit.verify()).toMatchObject({ Sound: true, Error: null });
  });
});
