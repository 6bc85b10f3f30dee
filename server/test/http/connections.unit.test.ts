import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { until } from '@anagrafe/testing/until';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  Connections,
  connectionLimits,
  listenOnOtherAddresses,
  onceClosed,
} from '../../src/http/connections.ts';
import { openLog } from '../../src/lib/log.ts';

/** Creates an app whose connections are limited; the test closes it at its end. `lines` gets what it logs. */
function newApp(limits = connectionLimits, lines: string[] = []): FastifyInstance {
  const connections = new Connections(limits);
  const loggerInstance: FastifyBaseLogger = openLog('info', { write: (line) => void lines.push(line) });
  const app = fastify({ serverFactory: connections.createServer, loggerInstance });
  onTestFinished(() => app.close());
  connections.register(app);
  return app;
}

it('pipelined requests are handled one after the other, and none after the connection is lost', async () => {
  const app = newApp();
  const begun: string[] = [];
  const closed: string[] = [];
  app.addHook('onRequest', ({ url }, reply, done) => {
    begun.push(url);
    onceClosed(reply.raw, () => closed.push(url));
    done();
  });
  const answers: ((answer: object) => void)[] = [];
  app.get('/*', () => new Promise((resolve) => answers.push(resolve)));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write([0, 1, 2].map((number) => `GET /${number} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
  await until(() => begun.length === 1);
  answers[0]?.({});
  await until(() => begun.length === 2);
  expect(closed).toEqual(['/0']);
  socket.resetAndDestroy();
  await until(() => closed.length === 2);
  answers[1]?.({});
  expect(begun).toEqual(['/0', '/1']);
});

it('a pipelined request after an answer that ends the connection is not handled', async () => {
  const app = newApp();
  const begun: string[] = [];
  app.addHook('onRequest', ({ url }, _reply, done) => {
    begun.push(url);
    done();
  });
  app.get('/last', async (_request, reply) => reply.header('connection', 'close').send({}));
  app.get('/other', async () => ({}));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  const closed = once(socket.resume(), 'close');
  socket.write(['/last', '/other'].map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
  await closed;
  expect(begun).toEqual(['/last']);
});

it('a server on one address of a host name takes the connections to its other addresses, and stops with them', async () => {
  const app = newApp();
  app.get('/', async () => ({}));
  await app.listen({ port: 0, host: '127.0.0.2' });
  const { port } = app.server.address() as AddressInfo;
  // The name stands for 127.0.0.1, and perhaps ::1.
  await listenOnOtherAddresses(app.server, 'localhost', 16);
  for (const address of ['127.0.0.1', '127.0.0.2'])
    expect((await fetch(`http://${address}:${port}/`)).status).toBe(200);
  await app.close();
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});

it('closed connections are counted in the log: the first has a line, and the others share one line each second', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const lines: string[] = [];
  const app = newApp(connectionLimits, lines);
  const closedLines = () => lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason);
  app.get('/', () => new Promise(() => undefined));
  await app.listen({ port: 0, host: '127.0.0.1' });
  for (let connection = 0; connection < 20; connection++) {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(connectionLimits.unanswered + 1));
    await closed;
  }
  const reason = 'too many unanswered requests';
  expect(closedLines()).toMatchObject([{ msg: 'connection closed', ip: '127.0.0.1', reason }]);
  vi.advanceTimersByTime(1000);
  expect(closedLines().slice(1)).toMatchObject([
    { level: 'info', msg: 'further connections closed', further: 19, reason },
  ]);
});

function* endlessly(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536);
}

/** Starts a service with an endless answer, and connects a client that does not read. */
async function startUnread(stalledMs: number) {
  const app = newApp({ unanswered: 16, stalledMs });
  app.get('/', async () => Readable.from(endlessly()));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const accepted = once(app.server, 'connection');
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    client.destroy();
  });
  client.on('error', () => undefined);
  client.pause();
  const [socket] = (await accepted) as [Socket];
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  return { client, socket };
}

it('a connection with more than 16 unanswered requests is closed: one of them is handled, and most are not even parsed', async () => {
  const app = newApp();
  let handled = 0;
  let parsed = 0;
  app.addHook('onRequest', (_request, _reply, done) => {
    handled++;
    done();
  });
  app.server.on('request', () => parsed++);
  app.get('/', () => new Promise(() => undefined));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(1000));
  await closed;
  expect([handled, parsed]).toEqual([1, connectionLimits.unanswered + 1]);
});

it('a connection whose client reads nothing is closed, although the client sends', async () => {
  const { client, socket } = await startUnread(200);
  // Parts of a second request, which would begin the timeout of a socket again.
  const sending = setInterval(() => client.write('x'), 10);
  onTestFinished(() => clearInterval(sending));
  client.write('GET /other');
  await until(
    () => socket.destroyed,
    () => 'the service to close the connection',
  );
});

it('a connection whose client reads slowly is kept until the client reads nothing for the whole time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { client, socket } = await startUnread(60_000);
  const isStuck = () => socket.writableNeedDrain;
  await until(isStuck);
  for (let round = 0; round < 3; round++) {
    vi.advanceTimersByTime(59_000);
    expect(socket.destroyed).toBe(false);
    const before = socket.bytesWritten;
    client.resume();
    await until(() => socket.bytesWritten > before);
    client.pause();
    await until(isStuck);
  }
  vi.advanceTimersByTime(75_000);
  expect(socket.destroyed).toBe(true);
});

const pieceBytes = 65_536;

/** A connection whose client takes large pieces only when the test says so. It counts the bytes as a socket does. */
class SlowConnection extends Duplex {
  readonly _handle = { bytesWritten: 0, writeQueueSize: 0, readStart() {}, readStop() {} };
  #written: () => void = () => undefined;

  override _read(): void {}

  override _write(piece: Buffer, _encoding: BufferEncoding, written: () => void): void {
    this._handle.bytesWritten += piece.length;
    if (piece.length < pieceBytes) {
      written();
      return;
    }
    this._handle.writeQueueSize = piece.length;
    this.#written = written;
  }

  receive(bytes: number): void {
    this._handle.writeQueueSize -= bytes;
    if (this._handle.writeQueueSize === 0) this.#written();
  }
}

it('a connection whose client takes some bytes before each check, but less than 64 KiB in the whole time, is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const app = newApp({ unanswered: 16, stalledMs: 60_000 });
  app.get('/', async () => Readable.from(endlessly()));
  await app.ready();
  const connection = new SlowConnection();
  connection.on('error', () => undefined);
  app.server.emit('connection', connection);
  connection.push('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await until(() => connection._handle.writeQueueSize > 0);
  for (let check = 0; check < 4; check++) {
    connection.receive(8192);
    vi.advanceTimersByTime(15_000);
  }
  expect(connection.destroyed).toBe(false);
  connection.receive(8192);
  vi.advanceTimersByTime(15_000);
  expect(connection.destroyed).toBe(true);
});
