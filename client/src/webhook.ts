import type { CloudEvent, State, UserPasswordReset, UserRegistered, UserStateChanged } from './api.gen.ts';
import { WebhookError } from './errors.ts';

type AboutUsers = UserRegistered | UserPasswordReset | UserStateChanged;

/** With the granularity `record`: all events of one type about the users of a record, in one. */
export type GroupedEvent = Omit<AboutUsers, 'data'> & {
  data: {
    IRID: number;
    Users: { UserID: number; Username: string | null; Email: string | null; State?: State }[];
  };
};

/** What a webhook tells: an event as `events` has it, or several about users in one. */
export type WebhookEvent = CloudEvent | GroupedEvent;

type Plain = Readonly<Record<string, string | readonly string[] | undefined>>;
type HeaderSource = Pick<Headers, 'get'> | Plain;

/** How far the clocks of the two machines may be apart, and a message be on its way. */
const toleranceSeconds = 300;

/**
 * Verifies a message of a webhook and gives its event. The body must be the text as it came, not parsed and written
 * anew. A message may come twice: its `webhook-id` header is the same then.
 *
 * @example
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, 'whsec_…');
 * ```
 *
 * @throws {WebhookError}
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
    throw new WebhookError('expired', 'The message is too old, or the clocks are apart.');
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  // While a secret is being changed there may be a signature for each.
  for (const signature of signatures.split(' ')) {
    const [version, text = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(text), signed)))
      return JSON.parse(body);
  }
  throw new WebhookError('wrong', 'The signature is not that of this message with this secret.');
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Plain)[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError('missing', `The header ${name} is missing.`);
}

/** What is no base64 is no signature either. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
