import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { ApiError } from '../lib/field-errors.ts';
import { Connections } from './connections.ts';
import { answerBrokenRequest, sendApiError } from './errors.ts';
import { compileRequestSchema } from './validation.ts';

const validRequestId = /^[\w.-]{1,64}$/;

/** Creates the Fastify instance without routes. */
export function createServer(options: {
  readonly log: FastifyBaseLogger;
  readonly trustedProxies: readonly string[];
}): FastifyInstance {
  const connections = new Connections();
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: connections.createServer,
    // A HEAD request would read the whole answer from the database, and drop it.
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // On a busy machine the start may take longer than the 10 seconds of the default.
    pluginTimeout: 0,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: ({ headers }) => {
      const sent = headers['x-request-id'];
      return typeof sent === 'string' && validRequestId.test(sent) ? sent : randomUUID();
    },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) =>
      sendApiError(new ApiError('NOT_FOUND'), request, reply.header('x-request-id', request.id)),
  });
  app.setValidatorCompiler(compileRequestSchema);
  app.setSerializerCompiler(() => JSON.stringify);

  // By default Node drops every header after the 1,000th, including those that a proxy appended. The size of all
  // headers stays limited to 16 KiB; Node answers a larger request with 431.
  app.server.maxHeadersCount = 0;
  // By default Node answers an unknown `Expect` header with 417. The service ignores the header instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  connections.register(app);
  return app;
}
