import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { Agent, request } from 'undici';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Sends the same GET request several times on one connection, and reads no answer. */
function sendUnread(path: string, times: number): Socket {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`.repeat(times));
  return socket;
}

const script = '/docs/static/swagger-ui-bundle.js';

/** Counts the files of the documentation that the service, which runs in this process, has open. */
function openScripts(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).endsWith('swagger-ui-bundle.js');
    } catch {
      return false;
    }
  }).length;
}

/** Sums the connections that were closed: the first one has a line of its own, further ones are counted. */
const closedFor = (reason: string) =>
  service.log
    .filter((line) => line.includes(reason))
    .reduce((sum, line) => sum + (JSON.parse(line).further ?? 1), 0);

describe('pipelined requests whose answers are not read', () => {
  it.each(['/openapi.json', '/docs/json', script, '/api/sync/v1/jobs', '/unknown'])(
    'close the connection on %s',
    async (path) => {
      const before = closedFor('too many unanswered requests');
      for (let connection = 0; connection < 4; connection++) sendUnread(path, 1600);
      await expect.poll(() => closedFor('too many unanswered requests') - before).toBe(4);
      // Answers that were being sent are given up with their files.
      await expect.poll(openScripts).toBe(0);
      const { statusCode, body } = await request(`${service.url}/openapi.json`);
      await body.dump();
      expect(statusCode).toBe(200);
    },
  );
});

describe('unread answers of one address', () => {
  it('take at most 64 places of public routes, and none of other addresses, monitoring and API clients', async () => {
    // Each connection has one answer that waits for its reader, behind those that fit into the buffers of the system.
    for (let connection = 0; connection < 80; connection++) sendUnread(script, 16);
    await expect.poll(openScripts).toBe(64);
    const elsewhere = new Agent({ localAddress: '127.0.0.9' });
    onTestFinished(() => elsewhere.close());
    const other = await request(`${service.url}/openapi.json`, { dispatcher: elsewhere });
    await other.body.dump();
    for (const path of ['/health/ready', '/metrics']) {
      const monitoring = await request(service.url + path);
      await monitoring.body.dump();
      expect([path, monitoring.statusCode]).toEqual([path, 200]);
    }
    expect(other.statusCode).toBe(200);
    expect((await service.call('irs/users', {})).status).toBe(200);
    expect(openScripts()).toBeLessThanOrEqual(64);
  });
});

describe('/openapi.json', () => {
  it('is not sent again to a caller that has the same version', async () => {
    const first = await request(`${service.url}/openapi.json`);
    await first.body.dump();
    const headers = { 'if-none-match': String(first.headers.etag) };
    const second = await request(`${service.url}/openapi.json`, { headers });
    expect([second.statusCode, await second.body.text()]).toEqual([304, '']);
  });
});
