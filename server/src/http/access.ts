import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AccessStore, type Caller, demandScope, identify } from '../core/access/access.ts';
import type { Scope } from '../core/access/clients.ts';
import { Refusal } from '../core/faults.ts';
import { FailedAttempts } from './attempts.ts';
import { readEvidence } from './evidence.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before any route of the API runs. */
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** What a caller needs to be allowed. */
    scope?: Scope;
  }
}

/** Says who sends a request, or refuses it. */
export type Identify = (request: FastifyRequest) => Promise<Caller>;

/** By the store of clients; an address with too many failures is not looked up any more. */
export function identifyBy(store: AccessStore, trustedProxies: BlockList): Identify {
  const attempts = new FailedAttempts();
  return async (request) => {
    attempts.refuseFlood(request.ip);
    try {
      return await identify(readEvidence(request, trustedProxies), store);
    } catch (error) {
      if (error instanceof Refusal && error.fault.code === 'UNAUTHENTICATED') attempts.note(request.ip);
      throw error;
    }
  };
}

/** Lets in nobody who has not shown who they are, and nobody to a route that does not say whom it is for. */
export function guard(app: FastifyInstance, identifyCaller: Identify): void {
  app.decorateRequest('caller', null as unknown as Caller);
  app.addHook('onRoute', (route) => {
    if (!route.config?.scope)
      throw new Error(`${route.method} ${route.url} does not say which scope it needs`);
  });
  app.addHook('onRequest', async (request) => {
    request.caller = await identifyCaller(request);
    const { scope } = request.routeOptions.config;
    if (scope) demandScope(request.caller, scope);
  });
}
