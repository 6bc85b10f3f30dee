import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { startProxy } from '@anagrafe/testing/proxy';
import { startTestService } from '@anagrafe/testing/service';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { failureKind, NoAnswer, NotConnected } from '../../src/db/errors.ts';

function databaseError(code: string, severity = 'ERROR'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('a sentence of the server', 100, 'error'), { code, severity });
}

function systemError(code: string): Error {
  return Object.assign(new Error(`read ${code}`), { code });
}

describe('the kind of a database failure', () => {
  it.each([
    ['a unique index', '23505'],
    ['a serialisation failure', '40001'],
    ['a deadlock', '40P01'],
  ])('is conflict for a conflict with a concurrent write: %s', (_, code) => {
    expect(failureKind(databaseError(code))).toBe('conflict');
  });

  it.each([
    ['a full disk', '53100'],
    ['out of memory', '53200'],
    ['too many connections', '53300'],
    ['a server that is starting', '57P03'],
    ['a standby', '25006'],
  ])('is away if nothing was written and a retry may succeed: %s', (_, code) => {
    expect(failureKind(databaseError(code))).toBe('notWritten');
  });

  it.each([
    ['a cancelled statement or a timeout', '57014'],
    ['a lock timeout', '55P03'],
  ])('is a time limit if PostgreSQL ended the statement because of its duration: %s', (_, code) => {
    expect(failureKind(databaseError(code))).toBe('timeLimit');
  });

  it.each([
    ['a connection that does not exist', '08003'],
    ['a connection failure', '08006'],
    ['a protocol violation', '08P01'],
    ['an unknown transaction resolution', '40003'],
    ['a termination by an administrator', '57P01'],
    ['a crash', '57P02'],
    ['an idle timeout', '57P05'],
  ])('is unknown if the connection was lost: %s', (_, code) => {
    expect(failureKind(databaseError(code, 'FATAL'))).toBe('unknown');
    expect(failureKind(databaseError(code))).toBe('unknown');
  });

  it.each(['ERROR', 'ERRORE', 'FATAL', 'PANIC'])(
    'is unknown for an error of the system, which the server can send after the commit too: %s',
    (severity) => {
      expect(failureKind(databaseError('XX000', severity))).toBe('unknown');
      expect(failureKind(databaseError('58030', severity))).toBe('unknown');
      expect(failureKind(databaseError('F0001', severity))).toBe('unknown');
    },
  );

  it.each([
    ['a closed connection', new Error('Connection terminated unexpectedly')],
    ['an error of the network', systemError('ECONNRESET')],
    ['an error of TLS', systemError('ERR_SSL_WRONG_VERSION_NUMBER')],
    ['a message of the driver that no list contains', new Error('received invalid response: 48')],
    ['a message of the server without an SQLSTATE', new pg.DatabaseError('odd', 5, 'error')],
    ['an SQLSTATE with a damaged character', databaseError('2351\u0014')],
    ['a statement without an answer', new NoAnswer(new Error('late'))],
    ['an error of the service, which may follow the commit', new TypeError('undefined is not a function')],
  ])('is unknown for everything that is no refusal by the server: %s', (_, error) => {
    expect(failureKind(error)).toBe('unknown');
  });

  it.each([
    ['a check constraint', '23514'],
    ['a foreign key', '23503'],
    ['a missing value', '23502'],
    ['a text that is too long', '22001'],
    ['an unknown table', '42P01'],
    ['a missing privilege', '42501'],
    ['a transaction that has failed', '25P02'],
  ])('is refused if nothing was written and a retry cannot succeed: %s', (_, code) => {
    expect(failureKind(databaseError(code))).toBe('refused');
  });

  it.each(['ERRORE', 'FEHLER', 'ERREUR', 'ОШИБКА'])(
    'does not depend on the language of the server: %s',
    (severity) => {
      expect(failureKind(databaseError('23514', severity))).toBe('refused');
      expect(failureKind(databaseError('23505', severity))).toBe('conflict');
    },
  );

  it('is away if no connection was established, for any cause', () => {
    for (const cause of [systemError('ECONNREFUSED'), databaseError('57P01', 'FATAL'), new TypeError('x')])
      expect(failureKind(new NotConnected(cause))).toBe('notWritten');
  });
});

describe('a connection that is lost', () => {
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
    // The server sends its last message before the session leaves pg_stat_activity. The driver reads that message
    // before a later answer.
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

  it('between two statements causes the transaction to fail, and the next one works', async () => {
    const before = (await database.query('select from anagrafe.row_counts')).length;
    const work = database.transaction(async (connection) => {
      await connection.query(`insert into anagrafe.row_counts values ('users', 1, 1, 1)`);
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
    expect(await database.query('select from anagrafe.row_counts')).toHaveLength(before);
    await expectAllWell();
  });

  it('before the commit causes the transaction to fail after its work is complete', async () => {
    const work = database.transaction(async (connection) => {
      const [backend] = await connection.query<{ pid: number }>(ownPid);
      await hangUp(backend?.pid ?? 0);
    });
    await expect(work).rejects.toThrow(/connection/i);
    await expectAllWell();
  });

  it('during a statement causes it to fail with an unknown outcome', async () => {
    const sleeping = database.query('select pg_sleep(1000)');
    const error = sleeping.catch((reason: unknown) => reason);
    const hungUp = `select pg_terminate_backend(pid) from pg_stat_activity
      where query = 'select pg_sleep(1000)' and state = 'active' and datname = current_database()`;
    await expect.poll(async () => (await database.query(hungUp)).length).toBe(1);
    expect(await error).toMatchObject({ cause: { code: '57P01' } });
    expect(failureKind(await error)).toBe('unknown');
    await expectAllWell();
  });

  it('while it is idle is reported and replaced', async () => {
    const [backend] = await database.query<{ pid: number }>(ownPid);
    const reported = lost.length;
    const other = open(url);
    await other.query('select pg_terminate_backend($1)', [backend?.pid]);
    await expect.poll(() => lost.length).toBe(reported + 1);
    await other.close();
    await expectAllWell();
  });

  it('while it is established causes only the first statement to fail', async () => {
    const through = new URL(url);
    through.port = String(await startTerminatingProxy(Number(url.port)));
    const proxied = open(through);
    onTestFinished(() => proxied.close());
    await expect(proxied.query('select 1')).rejects.toThrow(/connection/i);
    expect(await proxied.query('select 1 as one')).toEqual([{ one: 1 }]);
    expect(uncaught).toEqual([]);
  });
});

it('a pool is closed only when the server has ended its connections', async () => {
  const service = await startTestService();
  const connection = { connectionString: service.config.DATABASE_URL ?? '' };
  const pids: number[] = [];
  for (let round = 0; round < 5; round++) {
    const database = openDatabase({ connection, poolSize: 4, onLostConnection: () => {} });
    const own = () => database.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.02)');
    const rows = await Promise.all([own(), own(), own(), own()]);
    pids.push(...rows.flat().map(({ pid }) => pid));
    await database.close();
    expect(await service.database.query('select from pg_stat_activity where pid = any($1)', [pids])).toEqual(
      [],
    );
  }
  expect(new Set(pids).size).toBeGreaterThan(5);
});

describe('a transaction', () => {
  /** Opens a pool of one connection. The timeout of a transaction is `statementMs` plus 5 seconds for the answer. */
  function openWith(connectionString: string, statementMs: number): Database {
    const connection = { connectionString };
    const database = openDatabase({ connection, poolSize: 1, statementMs, onLostConnection: () => {} });
    onTestFinished(() => database.close());
    return database;
  }

  it('has one timeout for all of its statements together', async () => {
    const service = await startTestService();
    // The statements take 12 seconds together, and the timeout of the transaction is 10 seconds.
    const database = openWith(service.config.DATABASE_URL ?? '', 5000);
    const work = database.transaction(async ({ query }) => {
      for (let statement = 0; statement < 24; statement++) await query('select pg_sleep(0.5)');
    });
    await expect(work).rejects.toMatchObject({ timedOut: true });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('fails if the server stops answering, even if its rollback gets no answer', async () => {
    const service = await startTestService();
    const proxy = await startProxy(service.config.DATABASE_URL ?? '');
    const database = openWith(proxy.url, 2000);
    const work = database.transaction(async ({ query }) => {
      await query('select 1');
      proxy.mute();
      await query('select 2');
    });
    await expect(work).rejects.toMatchObject({ timedOut: true });
  });

  it('closes a connection that gives no answer, so that nothing more is executed on it', async () => {
    const service = await startTestService();
    const proxy = await startProxy(service.config.DATABASE_URL ?? '');
    const database = openWith(proxy.url, 1000);
    const [session] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    proxy.mute();
    await expect(database.query('select 1')).rejects.toMatchObject({ timedOut: true });
    const sql = 'select from pg_stat_activity where pid = $1';
    await expect.poll(() => service.database.query(sql, [session?.pid])).toEqual([]);
  });
});

const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Returns the ErrorResponse that PostgreSQL sends to a terminated session. */
function terminationMessage(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
  const body = Buffer.from(`${fields.join('\0')}\0`);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * Starts a proxy to the database and returns its port. The first session receives the termination message in the same
 * packet as its first ReadyForQuery, as if an administrator had terminated it then. Later sessions are not changed.
 */
async function startTerminatingProxy(port: number): Promise<number> {
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
        near.end(Buffer.concat([bytes, terminationMessage()]));
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
