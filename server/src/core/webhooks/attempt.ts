import { signedHeaders } from './signature.ts';

/** What came of a message: the status of the receiver, or why there was none. */
interface Came {
  readonly status: number | null;
  readonly failure: string | null;
}

/** What is known once the status is there: whoever sends may go on. The text follows a moment later, if at all. */
export interface Sent extends Came {
  readonly answer: Promise<string | null>;
}

/** What came of an attempt, in whole. */
export interface Attempt extends Came {
  /** The beginning of what the receiver answered, which is anybody's text; null where that is nothing. */
  readonly answer: string | null;
  /** Until the status was there. */
  readonly milliseconds: number;
}

export interface Endpoint {
  readonly id: number;
  readonly url: string;
  /** The newest, and the one before while it goes on. */
  readonly sealedSecrets: readonly Buffer[];
}

/** What signs messages, and what sends them. */
export interface Signing {
  openSecret(sealed: Buffer, webhookId: number): string;
  send(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
}

/** Opens the secrets of an endpoint once, and sends it what it is told, each message signed with all of them. */
export function openEndpoint({ id: webhookId, url, sealedSecrets }: Endpoint, { openSecret, send }: Signing) {
  const secrets = sealedSecrets.map((sealed) => openSecret(sealed, webhookId));
  return async (id: string, body: string): Promise<Sent & { readonly milliseconds: number }> => {
    const begunAt = performance.now();
    const sent = await send(url, signedHeaders(secrets, { id, body }, new Date()), body);
    return { ...sent, milliseconds: Math.round(performance.now() - begunAt) };
  };
}

export function isDelivered({ status }: Came): boolean {
  return status !== null && status >= 200 && status < 300;
}
