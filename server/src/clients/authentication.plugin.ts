import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import {
  addressOf,
  type CallerEvidence,
  hasCredential,
  readEvidence,
  type TrustSettings,
} from '../http/credentials.ts';
import { ApiError, isPartOfOutage } from '../lib/field-errors.ts';
import { plainAddress, sourceOf } from '../lib/network.ts';
import type { KeyPair } from '../lib/secrets.ts';
import {
  type AccessStore,
  anonymous,
  type Caller,
  DeniedClient,
  identify,
  refuseLimited,
  requirePermission,
} from './access.ts';
import { AuthThrottle, DeniedClients, RefusedOperators } from './auth-throttle.ts';
import type { Permission } from './permissions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; `guard` sets it before any route of the API runs. */
    caller: Caller;
    /** Throws unless the caller has the permission. What the role of an operator is refused is recorded. */
    requirePermission(permission: Permission): void;
    /** Records that the role of an operator was refused a permission, without delaying the answer. */
    recordRefused(permission: Permission): void;
  }
  interface FastifyContextConfig {
    permission?: Permission;
    /** True if the answers have only what a limited caller sees. Without it, the route refuses limited callers. */
    limited?: boolean;
    /** True if a signed-in user may call the route. */
    self?: boolean;
    /** True if a signed-in user that must change its password may call the route, too. */
    beforePasswordChange?: boolean;
    /** True if the route requires no credential. A credential that is sent must still be valid. */
    open?: boolean;
    /** True if the route authenticates the caller itself. */
    signIn?: boolean;
  }
}

export function actorOf(request: FastifyRequest, caller: Caller = request.caller): Actor {
  const { kind, clientId, user } = caller;
  return {
    kind: kind === 'anonymous' ? 'user' : kind,
    clientId,
    userId: user?.id ?? null,
    address: plainAddress(addressOf(request)),
    requestId: request.id,
  };
}

/** Returns the key of the rate limit: one budget for each user and client, and for each address of anonymous callers. */
export function rateLimitKey(request: FastifyRequest): string {
  const { caller } = request;
  switch (caller.kind) {
    case 'user':
      return `user ${caller.user.id}`;
    case 'anonymous':
      return sourceOf(addressOf(request));
    case 'protected':
      return 'protected mode';
    default:
      return `client ${caller.clientId}`;
  }
}

export type Identify = (request: FastifyRequest) => Promise<Caller>;

/**
 * Runs `lookUp` under the `AuthThrottle`, which refuses addresses with many invalid credentials. `fromBody` is the
 * credential of a request that sends it in the body instead of a header; `isValid` is false if the result shows that
 * the credential is not valid.
 */
export type ThrottledLookup = <Result>(
  request: FastifyRequest,
  lookUp: (evidence: CallerEvidence) => Promise<Result>,
  options?: { readonly fromBody?: KeyPair; readonly isValid?: (result: Result) => boolean },
) => Promise<Result>;

export function openThrottledLookup(trust: TrustSettings, auditLog: AuditLog): ThrottledLookup {
  const throttle = new AuthThrottle();
  const denied = new DeniedClients(auditLog);
  /** Does not delay the response until the row is written: the delay would reveal that the public key exists. */
  const recordDenied = (request: FastifyRequest, client: DeniedClient) => {
    denied.record(client, sourceOf(addressOf(request)), actorOf(request, anonymous)).catch((error) => {
      if (!isPartOfOutage(error))
        request.log.error({ err: error }, 'could not write the audit log entry of a denied client');
    });
  };
  return (request, lookUp, { fromBody, isValid } = {}) => {
    const evidence = readEvidence(request, trust);
    const credentials = fromBody ? [fromBody] : evidence.credentials;
    // A request without a credential is not a guess, so the throttle neither counts nor refuses it.
    if (credentials.length === 0) return lookUp(evidence);
    const recorded = async () => {
      try {
        return await lookUp(evidence);
      } catch (error) {
        if (error instanceof DeniedClient) recordDenied(request, error);
        throw error;
      }
    };
    return throttle.run(sourceOf(addressOf(request)), credentials, recorded, isValid);
  };
}

export function identifyBy(store: AccessStore, lookUpThrottled: ThrottledLookup): Identify {
  return (request) => lookUpThrottled(request, (evidence) => identify(evidence, store));
}

type OnRefused = (request: FastifyRequest, permission: Permission) => void;

/** Records what an operator is refused, without delaying the answer. */
export function recordRefused(auditLog: AuditLog): OnRefused {
  const refused = new RefusedOperators(auditLog);
  return (request, permission) => {
    const { caller } = request;
    if (!('operator' in caller) || !caller.operator) return;
    refused.record(caller.operator, permission, actorOf(request)).catch((error) => {
      if (!isPartOfOutage(error))
        request.log.error({ err: error }, 'could not write the audit log entry of a refused operator');
    });
  };
}

/**
 * Adds the hooks that authenticate every request and check its permission. The registration of a route that declares
 * none of `permission`, `self`, `open` and `signIn` throws, so that no route is public by mistake.
 */
export function guard(app: FastifyInstance, identifyCaller: Identify, onRefused: OnRefused): void {
  app.decorateRequest('caller', null as never);
  app.decorateRequest('requirePermission', function (permission: Permission) {
    try {
      requirePermission(this.caller, permission);
    } catch (error) {
      // An operator that confirms its identity has the permission.
      if (!(error instanceof ApiError && error.detail.code === 'CONFIRMATION_REQUIRED'))
        onRefused(this, permission);
      throw error;
    }
  });
  app.decorateRequest('recordRefused', function (permission: Permission) {
    onRefused(this, permission);
  });
  app.addHook('onRoute', (route) => {
    const { permission, self, open, signIn } = route.config ?? {};
    if (!permission && !self && !open && !signIn)
      throw new Error(
        `${route.method} ${route.url}: the route declares none of permission, self, open and signIn`,
      );
  });
  app.addHook('onRequest', async (request) => {
    const { permission, limited, self, open, signIn, beforePasswordChange } = request.routeOptions.config;
    const unknown = signIn || (open && !hasCredential(request));
    request.caller = unknown ? anonymous : await identifyCaller(request);
    if (signIn || open) return;
    if (request.caller.user?.mustChange && !beforePasswordChange)
      throw new ApiError('FORBIDDEN', { variant: 'mustChange' });
    if (self && request.caller.kind === 'user') return;
    if (permission) request.requirePermission(permission);
    else if (self) throw new ApiError('UNAUTHENTICATED', { variant: 'user' });
    if (!limited) refuseLimited(request.caller);
  });
}
