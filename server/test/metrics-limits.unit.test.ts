import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { stopClock } from '@anagrafe/testing/clock';
import { until } from '@anagrafe/testing/until';
import { type FastifyInstance, fastify } from 'fastify';
import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../src/clients/access.ts';
import { permissionsOfScopes } from '../src/clients/permissions.ts';
import { metricsRoute } from '../src/health.routes.ts';
import { answerLimits, CallerLimits } from '../src/http/answer-limit.ts';
import { statusOf } from '../src/http/status.ts';
import { ApiError } from '../src/lib/field-errors.ts';
import { networkList } from '../src/lib/network.ts';
import { openMetrics } from '../src/metrics.ts';

const scraper: Caller = {
  kind: 'client',
  clientId: 1,
  user: null,
  name: 'scraper',
  permissions: permissionsOfScopes(['sync:read'], null),
  tags: null,
};
const credential = { authorization: 'Bearer of the scraper' };
/** No address is direct, so that every caller needs the credential. */
const trust = { proxies: networkList(['127.0.0.0/8']), hosts: new Set<string>() };

/** Serves the metrics, and notes the status of each answer. */
async function serveMetrics(publicLimits: CallerLimits) {
  const app = fastify();
  onTestFinished(() => app.close());
  const statuses: number[] = [];
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof ApiError ? statusOf(error.detail.code) : 500).send(),
  );
  app.addHook('onSend', async (_request, reply) => void statuses.push(reply.statusCode));
  const identifyCaller = async ({ headers }: { headers: object }) => {
    if ('authorization' in headers) return scraper;
    throw new ApiError('UNAUTHENTICATED', { variant: 'missing' });
  };
  metricsRoute(app, { metrics: openMetrics(), identifyCaller, trust, publicLimits });
  await app.listen({ port: 0, host: '0.0.0.0' });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, statuses };
}

async function scrape(port: number, localAddress: string, headers = {}): Promise<number> {
  const dispatcher = new Agent({ localAddress });
  onTestFinished(() => dispatcher.destroy());
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/metrics`, { dispatcher, headers });
  await body.dump();
  return statusCode;
}

/** More bytes than the system buffers for a connection. */
const backlog = Buffer.alloc(16 * 1024 * 1024);

/** Requests the metrics without a credential, on a connection whose buffers are full because the client reads nothing. */
async function leaveUnread(app: FastifyInstance, port: number, localAddress: string): Promise<void> {
  const accepted = once(app.server, 'connection');
  const client = connect({ host: '127.0.0.1', port, localAddress });
  onTestFinished(() => {
    client.destroy();
  });
  client.on('error', () => undefined);
  client.pause();
  const [socket] = (await accepted) as [Socket];
  socket.on('error', () => undefined);
  socket.write(backlog);
  client.write('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n');
}

describe('/metrics', () => {
  it('is sent to a monitoring system while rejected callers of several networks leave all public places taken', async () => {
    const limits = { total: 2, perCaller: 1, waitMs: 3_600_000, waitingPerCaller: 2 };
    const { app, port, statuses } = await serveMetrics(new CallerLimits(limits));
    await leaveUnread(app, port, '127.0.0.2');
    await leaveUnread(app, port, '127.0.0.3');
    await until(() => statuses.length === 2);
    let received = 0;
    app.server.on('request', () => received++);
    await leaveUnread(app, port, '127.0.0.4');
    await until(() => received === 1);
    // The address of the monitoring system is also that of a rejected caller.
    expect(await scrape(port, '127.0.0.2', credential)).toBe(200);
    expect(statuses).toEqual([401, 401, 200]);
  });

  it('is sent to a monitoring system whose address has used up its calls without a credential', async () => {
    stopClock();
    const { port, statuses } = await serveMetrics(new CallerLimits(answerLimits.public, 3));
    for (let call = 0; call < 4; call++) await scrape(port, '127.0.0.2');
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(await scrape(port, '127.0.0.2', credential)).toBe(200);
  });
});
