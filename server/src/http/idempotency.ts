import type { Hmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../core/calls/ledger.ts';
import { wrongParameter } from '../core/fields/parameters.ts';
import { isFlagged } from './query.ts';

const name = 'Idempotency-Key';
const max = 255;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a call may be sent with a key, and then is done once. */
    once?: boolean;
  }
}

/** Begins the fingerprint of a call that is to be done once. Its path is part of it: the body alone does not say what it is for. */
export function fingerprintBy(newFingerprint: () => Hmac): (request: FastifyRequest) => Hmac | null {
  return (request) => {
    if (keyText(request) === null) return null;
    return newFingerprint().update(`${request.routeOptions.url}\n`);
  };
}

export function idempotencyKeyOf(request: FastifyRequest): IdempotencyKey | null {
  const text = keyText(request);
  return text !== null && request.fingerprint ? { text, fingerprint: request.fingerprint } : null;
}

function keyText(request: FastifyRequest): string | null {
  const { once } = request.routeOptions.config;
  const sent = request.headers['idempotency-key'];
  // A dry run does nothing that could be done twice, and must not use up the key of the call that follows it.
  if (!once || sent === undefined || isFlagged(request, 'dryRun')) return null;
  const key = Array.isArray(sent) ? '' : sent;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw wrongParameter(name, 'key', { max });
  return key;
}
