import { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AnswerLimit, answerLimits, CallerLimits, limitPublicRoutes } from '../../src/http/answer-limit.ts';
import { statusOf } from '../../src/http/status.ts';
import { ApiError } from '../../src/lib/field-errors.ts';

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));
const hour = 3_600_000;

/** Requests a place, and notes the name of the caller in `admitted` when there is one. */
function requestPlace(limit: AnswerLimit, caller: string, admitted: string[]) {
  const response = newResponse();
  const place = limit.run(caller, response, () => admitted.push(caller));
  return { place, close: () => response.emit('close') };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an answer limit', () => {
  it('lets a caller above its share wait until one of its answers has been sent, and others pass', async () => {
    const limit = new AnswerLimit({ total: 10, perCaller: 1, waitMs: hour, waitingPerCaller: 2 });
    const admitted: string[] = [];
    const first = requestPlace(limit, 'one', admitted);
    const second = requestPlace(limit, 'one', admitted);
    await requestPlace(limit, 'other', admitted).place;
    expect(admitted).toEqual(['one', 'other']);
    first.close();
    await second.place;
    expect(admitted).toEqual(['one', 'other', 'one']);
  });

  it('admits waiting requests in the order of their arrival when the total is reached', async () => {
    const limit = new AnswerLimit({ total: 1, perCaller: 1, waitMs: hour, waitingPerCaller: 2 });
    const admitted: string[] = [];
    const [first, second, third] = ['one', 'two', 'three'].map((caller) =>
      requestPlace(limit, caller, admitted),
    );
    first?.close();
    await second?.place;
    await turn();
    expect(admitted).toEqual(['one', 'two']);
    second?.close();
    await third?.place;
  });

  it('keeps a quarter of the places for callers that have none', async () => {
    const limit = new AnswerLimit({ total: 4, perCaller: 4, waitMs: hour, waitingPerCaller: 2 });
    const admitted: string[] = [];
    const places = ['one', 'one', 'one', 'one', 'other'].map((caller) =>
      requestPlace(limit, caller, admitted),
    );
    await places[4]?.place;
    expect(admitted).toEqual(['one', 'one', 'one', 'other']);
    places[0]?.close();
    places[1]?.close();
    await places[3]?.place;
    expect(admitted).toEqual(['one', 'one', 'one', 'other', 'one']);
  });

  it('refuses a request that has waited too long with OVERLOADED', async () => {
    const limit = new AnswerLimit({ total: 1, perCaller: 1, waitMs: 1, waitingPerCaller: 2 });
    await requestPlace(limit, 'one', []).place;
    const error = await requestPlace(limit, 'other', []).place.catch((error) => error);
    expect(error.detail.code).toBe('OVERLOADED');
    expect(error.retryAfterSeconds).toBeGreaterThan(0);
  });

  it('refuses further requests of a caller at once if enough of them wait', async () => {
    const limit = new AnswerLimit({ total: 1, perCaller: 1, waitMs: hour, waitingPerCaller: 2 });
    const admitted: string[] = [];
    const first = requestPlace(limit, 'one', admitted);
    const waiting = [requestPlace(limit, 'one', admitted), requestPlace(limit, 'one', admitted)];
    await expect(requestPlace(limit, 'one', admitted).place).rejects.toBeInstanceOf(ApiError);
    const other = requestPlace(limit, 'other', admitted);
    for (const { place, close } of [first, ...waiting]) {
      await place;
      close();
    }
    await other.place;
    expect(admitted).toEqual(['one', 'one', 'one', 'other']);
  });

  it('gives no place to a request whose connection was lost while it waited', async () => {
    const limit = new AnswerLimit({ total: 1, perCaller: 1, waitMs: hour, waitingPerCaller: 2 });
    const admitted: string[] = [];
    const first = requestPlace(limit, 'one', admitted);
    const lost = requestPlace(limit, 'lost', admitted);
    const third = requestPlace(limit, 'three', admitted);
    lost.close();
    await expect(lost.place).rejects.toBeInstanceOf(ApiError);
    first.close();
    await third.place;
    expect(admitted).toEqual(['one', 'three']);
  });

  it('keeps the place of a request whose connection was lost until its answer is prepared', async () => {
    const limit = new AnswerLimit({ total: 1, perCaller: 1, waitMs: hour, waitingPerCaller: 2 });
    const admitted: string[] = [];
    const response = newResponse();
    let endPreparation = () => {};
    const prepared = limit.run('one', response, () => new Promise<void>((end) => (endPreparation = end)));
    const second = requestPlace(limit, 'two', admitted);
    response.emit('close');
    await turn();
    expect(admitted).toEqual([]);
    endPreparation();
    await Promise.all([prepared, second.place]);
    expect(admitted).toEqual(['two']);
  });

  it('prepares nothing for a connection that is already lost', async () => {
    const limit = new AnswerLimit({ total: 1, perCaller: 1, waitMs: hour, waitingPerCaller: 2 });
    const response = newResponse().destroy();
    await expect(limit.run('one', response, () => 'prepared')).rejects.toBeInstanceOf(ApiError);
  });
});

describe('public routes', () => {
  it('refuse an address above its calls per minute with RATE_LIMITED', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    app.setErrorHandler((error, _request, reply) => {
      const { detail, retryAfterSeconds } = error as ApiError;
      return reply.code(statusOf(detail.code)).header('retry-after', retryAfterSeconds).send();
    });
    limitPublicRoutes(app, new CallerLimits(answerLimits.public, 3));
    app.get('/', async () => ({}));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++) statuses.push((await fetch(url)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});
