import type {
  CloudEvent,
  State,
  UserDeleted,
  UserPasswordReset,
  UserRegistered,
  UserStateChanged,
  UserUpdated,
} from './api.gen.ts';
import { WebhookError } from './errors.ts';

type UserEvent = UserRegistered | UserPasswordReset | UserUpdated | UserStateChanged | UserDeleted;

/** The event of a webhook with the granularity `record`: the events of one type for up to 1,000 users of one record. */
export type GroupedEvent = Omit<UserEvent, 'data'> & {
  data: {
    IRID: number;
    ExternalKey: string | null;
    /** `Username` and `Email` are absent for a deleted user. */
    Users: {
      UserID: number;
      Username?: string | null;
      Email?: string | null;
      State?: State;
      Changed?: string[];
    }[];
  };
};

/** The body of a webhook message: an event as in `Anagrafe.events`, or several user events grouped by record. */
export type WebhookEvent = CloudEvent | GroupedEvent;

type HeaderObject = Readonly<Record<string, string | readonly string[] | undefined>>;
type HeaderSource = Pick<Headers, 'get'> | HeaderObject;

/** Maximum age of a message, which also allows for the difference between the clocks. Limits replay attacks. */
const toleranceSeconds = 300;

/**
 * Verifies the signature of a webhook message (Standard Webhooks, HMAC-SHA256) and returns its event.
 *
 * Delivery is at least once: deduplicate by the `webhook-id` header, which is the same in every attempt.
 *
 * @param body The raw text of the body. Parsing and serialising it again changes the bytes that were signed.
 * @param headers A `Headers` object, or an object with lower-case header names such as `request.headers` of Node.js.
 * @param secret The `Secret` of the webhook: `whsec_` and a base64 key.
 * @param now The time that the timestamp of the message is compared with. Default: the local clock.
 *
 * @example
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, 'whsec_…');
 * ```
 *
 * @throws {WebhookError} If a header is missing, the timestamp is outside the tolerance, no signature matches, or the
 * secret is not base64.
 */
export async function verifyWebhook(
  body: string,
  headers: HeaderSource,
  secret: string,
  now: Date = new Date(),
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const age = Math.abs(now.getTime() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds))
    throw new WebhookError('EXPIRED', 'The message is too old, or the clocks differ.');
  const keyBytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (keyBytes.length === 0)
    throw new WebhookError('INVALID_SECRET', 'The secret must be whsec_ and a base64 key.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyBytes, algorithm, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  // After a rotation the header has one signature per valid secret.
  for (const signature of signatures.split(' ')) {
    const [version, text = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(text), signed)))
      return JSON.parse(body);
  }
  throw new WebhookError('INVALID_SIGNATURE', 'No signature matches this message and this secret.');
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as HeaderObject)[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError('MISSING_HEADER', `The header ${name} is missing.`);
}

/** Returns no bytes for invalid base64. An empty signature never matches, and an empty key is rejected. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
