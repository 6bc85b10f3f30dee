/** Something that happened, as a webhook tells of it: CloudEvents 1.0. */
export interface Event {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: Readonly<Record<string, unknown>>;
}

export type WebhookFault = 'missing' | 'expired' | 'wrong';

/** A message that is not to be believed. */
export class WebhookError extends Error {
  /** `missing`: a header is not there. `expired`: it is too old, or from the future. `wrong`: the signature is not ours. */
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookError';
    this.code = code;
  }
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How far the clocks of the two machines may be apart, and a message be on its way. */
const toleranceSeconds = 300;

/**
 * Verifies a message of a webhook and gives its event. The body must be the text as it came, not parsed and written
 * anew. A message may come twice: its `webhook-id` header is the same then.
 *
 * @throws {WebhookError}
 */
export async function verifyWebhook(
  body: string,
  headers: HeaderSource,
  secret: string,
  now: Date = new Date(),
): Promise<Event> {
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
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
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
