import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { failureKind, NotConnected } from '../../src/storage/failures.ts';
import { startProxy } from '../faults/proxy.ts';
import { startTestService } from '../setup/service.ts';

function databaseError(code: string, severity = 'ERROR'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('a sentence of the server', 100, 'error'), { code, severity });
}

function systemError(code: string): Error {
  return Object.assign(new Error(`read ${code}`), { code });
}

describe('what is known of the data after a failure', () => {
  it.each([
    ['a unique index', '23505'],
    ['a serialisation failure', '40001'],
    ['a deadlock', '40P01'],
  ])('is a conflict with what was stored meanwhile: %s', (_, code) => {
    expect(failureKind(databaseError(code))).toBe('conflict');
  });

  it.each([
    ['out of disk', '53100'],
    ['out of memory', '53200'],
    ['too many connections', '53300'],
    ['still starting', '57P03'],
    ['cancelled, or out of time', '57014'],
    ['a lock that was not had in time', '55P03'],
    ['a standby', '25006'],
  ])('is that nothing was written and that it may be later: %s', (_, code) => {
    expect(failureKind(databaseError(code))).toBe('away');
  });

  it.each([
    ['a connection that does not exist', '08003'],
    ['a connection failure', '08006'],
    ['a protocol violation', '08P01'],
    ['a completion that is not known', '40003'],
    ['told to go', '57P01'],
    ['a crash', '57P02'],
    ['idle for too long', '57P05'],
  ])('is nothing when the connection broke: %s', (_, code) => {
    expect(failureKind(databaseError(code, 'FATAL'))).toBe('unknown');
    expect(failureKind(databaseError(code))).toBe('unknown');
  });

  it.each(['FATAL', 'PANIC'])(
    'is nothing when the server ended the session for any other reason: %s',
    (severity) => {
      expect(failureKind(databaseError('XX000', severity))).toBe('unknown');
      expect(failureKind(databaseError('58030', severity))).toBe('unknown');
    },
  );

  it.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
  ])('is nothing when the driver says: %s', (message) => {
    expect(failureKind(new Error(message))).toBe('unknown');
  });

  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'EHOSTUNREACH', 'ENETUNREACH'])(
    'is nothing when the network says %s',
    (code) => {
      expect(failureKind(systemError(code))).toBe('unknown');
    },
  );

  it.each([
    ['a check constraint', '23514'],
    ['a foreign key', '23503'],
    ['a missing value', '23502'],
    ['a text that is too long', '22001'],
    ['no such table', '42P01'],
    ['no such privilege', '42501'],
    ['a transaction that has failed', '25P02'],
    ['an internal error of one statement', 'XX000'],
  ])('is that nothing was written, nor will be: %s', (_, code) => {
    expect(failureKind(databaseError(code))).toBe('refused');
  });

  it.each(['ERRORE', 'FEHLER', 'ERREUR', 'ОШИБКА'])(
    'does not depend on the language of the server, which says %s',
    (severity) => {
      expect(failureKind(databaseError('23514', severity))).toBe('refused');
      expect(failureKind(databaseError('23505', severity))).toBe('conflict');
    },
  );

  it('is that nothing was sent where there was no connection, whatever the reason', () => {
    for (const cause of [systemError('ECONNREFUSED'), databaseError('57P01', 'FATAL'), new TypeError('x')])
      expect(failureKind(new NotConnected(cause))).toBe('away');
  });

  it('is that nothing was written when the mistake is our own', () => {
    expect(failureKind(new TypeError('undefined is not a function'))).toBe('refused');
    expect(failureKind(new RangeError('out of range'))).toBe('refused');
    expect(failureKind(new Error('a draft without faults lacks a part'))).toBe('refused');
  });
});

describe('a connection that breaks', () => {
  let url: URL;
  let database: Database;
  const lost: Error[] = [];
  const uncaught: Error[] = [];
  const noteUncaught = (error: Error) => uncaught.push(error);

  beforeAll(async () => {
    const service = await startTestService();
    url = new URL(service.config.DATABASE_URL ?? '');
    database = open(url);
    process.on('uncaughtException', noteUncaught);
  });

  afterAll(async () => {
    process.removeListener('uncaughtException', noteUncaught);
    await database.close();
  });

  function open({ href }: URL): Database {
    const connection = { connectionString: href };
    return openDatabase({ connection, poolSize: 2, onLostConnection: (error) => lost.push(error) });
  }

  const ownPid = 'select pg_backend_pid() as pid';
  const alive = async (pid: number) =>
    (await database.query('select from pg_stat_activity where pid = $1', [pid])).length > 0;

  async function hangUp(pid: number): Promise<void> {
    await database.query('select pg_terminate_backend($1)', [pid]);
    await expect.poll(() => alive(pid)).toBe(false);
    // The server sent its last message before the session left the list. It is read before a later answer is.
    await database.query('select 1');
  }

  async function expectAllWell(): Promise<void> {
    expect(await Promise.all([1, 2, 3].map((n) => database.query('select $1::int as n', [n])))).toEqual([
      [{ n: 1 }],
      [{ n: 2 }],
      [{ n: 3 }],
    ]);
    await database.transaction(async (connection) => {
      expect(await connection.query('select 1 as one')).toEqual([{ one: 1 }]);
    });
    expect(uncaught).toEqual([]);
  }

  it('between two statements of a transaction fails it, and the next one works', async () => {
    const before = (await database.query('select from anagrafe.tallies')).length;
    const work = database.transaction(async (connection) => {
      await connection.query(`insert into anagrafe.tallies values ('users', 1, 1, 1)`);
      const [backend] = await connection.query<{ pid: number }>(ownPid);
      await hangUp(backend?.pid ?? 0);
      return connection.query('select 1 as one');
    });
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect(failureKind(error)).toBe('unknown');
    expect(await database.query('select from anagrafe.tallies')).toHaveLength(before);
    await expectAllWell();
  });

  it('before the commit of a transaction fails it, though its work was done', async () => {
    const work = database.transaction(async (connection) => {
      const [backend] = await connection.query<{ pid: number }>(ownPid);
      await hangUp(backend?.pid ?? 0);
    });
    await expect(work).rejects.toThrow(/connection/i);
    await expectAllWell();
  });

  it('during a statement fails it with an outcome that is not known', async () => {
    const sleeping = database.query('select pg_sleep(1000)');
    const error = sleeping.catch((reason: unknown) => reason);
    const hungUp = `select pg_terminate_backend(pid) from pg_stat_activity
      where query = 'select pg_sleep(1000)' and state = 'active' and datname = current_database()`;
    await expect.poll(async () => (await database.query(hungUp)).length).toBe(1);
    expect(await error).toMatchObject({ code: '57P01' });
    expect(failureKind(await error)).toBe('unknown');
    await expectAllWell();
  });

  it('while nobody uses it is told of, and replaced', async () => {
    const [backend] = await database.query<{ pid: number }>(ownPid);
    const told = lost.length;
    const other = open(url);
    await other.query('select pg_terminate_backend($1)', [backend?.pid]);
    await expect.poll(() => lost.length).toBe(told + 1);
    await other.close();
    await expectAllWell();
  });

  it('at the moment at which it is made fails the statement alone', async () => {
    const through = new URL(url);
    through.port = String(await startHangingUp(Number(url.port)));
    const hasty = open(through);
    onTestFinished(() => hasty.close());
    await expect(hasty.query('select 1')).rejects.toThrow(/connection/i);
    expect(await hasty.query('select 1 as one')).toEqual([{ one: 1 }]);
    expect(uncaught).toEqual([]);
  });
});

describe('a transaction', () => {
  /** A transaction may take `statementMs` and 5 seconds more, which are for the answer. */
  function openWith(connectionString: string, statementMs: number): Database {
    const connection = { connectionString };
    const database = openDatabase({ connection, poolSize: 1, statementMs, onLostConnection: () => {} });
    onTestFinished(() => database.close());
    return database;
  }

  it('has one limit for all of its statements, however short each of them is', async () => {
    const service = await startTestService();
    // The statements take 12 seconds together, and the transaction has 10.
    const database = openWith(service.config.DATABASE_URL ?? '', 5000);
    const work = database.transaction(async ({ query }) => {
      for (let statement = 0; statement < 24; statement++) await query('select pg_sleep(0.5)');
    });
    await expect(work).rejects.toThrow('Query read timeout');
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('whose server no longer answers fails, though its rollback is not answered either', async () => {
    const service = await startTestService();
    const proxy = await startProxy(service.config.DATABASE_URL ?? '');
    const database = openWith(proxy.url, 2000);
    const work = database.transaction(async ({ query }) => {
      await query('select 1');
      proxy.mute();
      await query('select 2');
    });
    await expect(work).rejects.toThrow('Query read timeout');
  });
});

const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** What a server says to a session that it is told to end. */
function farewell(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
  const body = Buffer.from(`${fields.join('\0')}\0`);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * A way to the database on which the first session is told to end in the same breath in which it is told that it
 * can begin, as when an administrator hangs up at that moment. Later ones are left alone.
 */
async function startHangingUp(port: number): Promise<number> {
  let done = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => {
      if (done || !bytes.subarray(-6).equals(readyForQuery)) near.write(bytes);
      else {
        done = true;
        near.end(Buffer.concat([bytes, farewell()]));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
