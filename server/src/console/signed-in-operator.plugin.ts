import type { FastifyRequest } from 'fastify';
import { type OperatorAtConsole, operatorCaller } from '../clients/access.ts';
import { actorOf, type ThrottledLookup } from '../clients/authentication.plugin.ts';
import { type ConsoleStore, consoleTokenIn, requireConsolePage } from '../clients/console-session.ts';
import { addressOf } from '../http/credentials.ts';
import { ApiError } from '../lib/field-errors.ts';
import { sourceOf } from '../lib/network.ts';
import { digestOf } from '../lib/secrets.ts';

export interface SignedInTools {
  readonly lookUpThrottled: ThrottledLookup;
  readonly consoleSessions: ConsoleStore;
}

interface SignedInOperator {
  readonly operator: OperatorAtConsole;
  readonly tokenDigest: Buffer;
}

/** What the routes of an operator's own account share. They authenticate it by the cookie of its session alone. */
export function openSignedInOperator({ lookUpThrottled, consoleSessions }: SignedInTools) {
  const attemptOf = (request: FastifyRequest, operator?: OperatorAtConsole) => ({
    source: sourceOf(addressOf(request)),
    actor: actorOf(request, operator && operatorCaller(operator)),
  });
  const signedIn = (request: FastifyRequest): Promise<SignedInOperator> =>
    lookUpThrottled(request, async (evidence) => {
      requireConsolePage(evidence);
      const token = consoleTokenIn(evidence);
      const tokenDigest = digestOf(token ?? '');
      const operator = token === null ? null : await consoleSessions.findOperator(tokenDigest);
      if (!operator) throw new ApiError('UNAUTHENTICATED', { variant: 'console' });
      return { operator, tokenDigest };
    });
  return {
    attemptOf,
    signedIn,
    /** A stolen session must not give its thief a password or a second factor. */
    async confirmed(request: FastifyRequest): Promise<SignedInOperator> {
      const found = await signedIn(request);
      if (!found.operator.confirmed) throw new ApiError('CONFIRMATION_REQUIRED');
      return found;
    },
  };
}
