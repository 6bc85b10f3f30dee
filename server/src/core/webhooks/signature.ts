import { createHmac } from 'node:crypto';

/** The headers of a message, as Standard Webhooks has them; with a signature for each secret, the newest first. */
export function signedHeaders(
  secrets: readonly string[],
  message: { id: string; body: string },
  at: Date,
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
