import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type AccessStore,
  type Caller,
  type CallerEvidence,
  DeniedClient,
  demandScope,
  identify,
} from '../core/access/access.ts';
import type { Scope } from '../core/access/clients.ts';
import type { KeyPair } from '../core/access/keys.ts';
import { isPartOfOutage, Refusal } from '../core/faults.ts';
import type { Author, Journal } from '../core/journal/journal.ts';
import { plainAddress, sourceOf } from '../network.ts';
import { FailedAttempts } from './attempts.ts';
import { DeniedClients } from './denied-clients.ts';
import { addressOf, hasCredential, readEvidence, type TrustSettings } from './evidence.ts';

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
    /** Whether it finds out by itself who calls. */
    signIn?: boolean;
  }
}

/** Who does what a request asks for, for the journal. */
export function authorOf(request: FastifyRequest, caller: Caller = request.caller): Author {
  const { actor, clientId, user } = caller;
  return {
    actor,
    clientId,
    userId: user?.id ?? null,
    address: plainAddress(addressOf(request)),
    requestId: request.id,
  };
}

/** Who has shown nothing, where nothing is asked for. */
const anyone: Caller = { actor: 'user', clientId: null, user: null, name: 'anyone', scopes: new Set() };

/** Says who sends a request, or refuses it. */
export type Identify = (request: FastifyRequest) => Promise<Caller>;

/**
 * Looks up who sends a request. Where the credential is in the body, it is given beside the request. Addresses that
 * show many invalid credentials are refused.
 */
export type Attempt = <Result>(
  request: FastifyRequest,
  lookUp: (evidence: CallerEvidence) => Promise<Result>,
  fromBody?: KeyPair,
) => Promise<Result>;

export function attemptBy(trust: TrustSettings, journal: Journal): Attempt {
  const attempts = new FailedAttempts();
  const denied = new DeniedClients(journal);
  /** The answer does not wait for the row: the time would tell that the public key exists. */
  const noteDenied = (request: FastifyRequest, { client, why }: DeniedClient) => {
    denied.note(client, why, sourceOf(addressOf(request)), authorOf(request, anyone)).catch((error) => {
      if (!isPartOfOutage(error))
        request.log.error({ err: error }, 'a refused client could not be noted in the audit log');
    });
  };
  return (request, lookUp, fromBody) => {
    const evidence = readEvidence(request, trust);
    const credentials = fromBody ? [fromBody] : evidence.credentials;
    // A missing credential is not a guess: it is neither counted nor refused for the guesses of others.
    if (credentials.length === 0) return lookUp(evidence);
    return attempts.run(sourceOf(addressOf(request)), credentials, async () => {
      try {
        return await lookUp(evidence);
      } catch (error) {
        if (error instanceof DeniedClient) noteDenied(request, error);
        throw error;
      }
    });
  };
}

/** By the store of clients. */
export function identifyBy(store: AccessStore, attempt: Attempt): Identify {
  return (request) => attempt(request, (evidence) => identify(evidence, store));
}

/** Lets in nobody who has not shown who they are, and nobody to a route that does not say whom it is for. */
export function guard(app: FastifyInstance, identifyCaller: Identify): void {
  app.decorateRequest('caller', null as unknown as Caller);
  app.addHook('onRoute', (route) => {
    const { scope, self, open, signIn } = route.config ?? {};
    if (!scope && !self && !open && !signIn)
      throw new Error(`${route.method} ${route.url} does not say whom it is for`);
  });
  app.addHook('onRequest', async (request) => {
    const { scope, self, open, signIn } = request.routeOptions.config;
    const unknown = signIn || (open && !hasCredential(request));
    request.caller = unknown ? anyone : await identifyCaller(request);
    if (signIn || open || (self && request.caller.user)) return;
    if (scope) demandScope(request.caller, scope);
    else if (self) throw new Refusal('UNAUTHENTICATED', { variant: 'user' });
  });
}
