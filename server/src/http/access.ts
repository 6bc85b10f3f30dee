import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AccessStore, type Caller, demandScope, identify } from '../core/access/access.ts';
import type { Scope } from '../core/access/clients.ts';
import { Refusal } from '../core/faults.ts';
import type { Author } from '../core/journal/journal.ts';
import { plainAddress } from '../network.ts';
import { FailedAttempts } from './attempts.ts';
import { hasCredential, readEvidence } from './evidence.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before any route of the API runs. */
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** What a caller needs to be allowed. */
    scope?: Scope;
    /** Whether a signed-in user may call it too. */
    self?: boolean;
    /** Whether it needs no credential at all. */
    open?: boolean;
  }
}

/** Who does what a request asks for, for the journal. */
export function authorOf(request: FastifyRequest): Author {
  const { actor, clientId, user } = request.caller;
  return {
    actor,
    clientId,
    userId: user?.id ?? null,
    address: plainAddress(request.ip),
    requestId: request.id,
  };
}

/** Who has shown nothing, where nothing is asked for. */
const anyone: Caller = { actor: 'user', clientId: null, user: null, name: 'anyone', scopes: new Set() };

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
    const { scope, self, open } = route.config ?? {};
    if (!scope && !self && !open) throw new Error(`${route.method} ${route.url} does not say whom it is for`);
  });
  app.addHook('onRequest', async (request) => {
    const { scope, self, open } = request.routeOptions.config;
    request.caller = open && !hasCredential(request) ? anyone : await identifyCaller(request);
    if (open || (self && request.caller.user)) return;
    if (scope) demandScope(request.caller, scope);
    else if (self) throw new Refusal('UNAUTHENTICATED', { variant: 'user' });
  });
}
