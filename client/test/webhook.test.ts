import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookError } from '../src/index.ts';

const body = '{"type":"user.registered"}';
const now = new Date('2026-03-01T10:00:00Z');
const timestamp = String(now.getTime() / 1000);

function headersFor(key: Buffer, sentBody = body): Record<string, string> {
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${sentBody}`).digest('base64');
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

describe('verifyWebhook', () => {
  const key = randomBytes(24);
  const secret = `whsec_${key.toString('base64')}`;

  it('returns the event of a message that was signed with the secret', async () => {
    expect(await verifyWebhook(body, headersFor(key), secret, now)).toEqual({ type: 'user.registered' });
  });

  it('accepts a message if one of several signatures matches, as after a rotation', async () => {
    const headers = headersFor(key);
    const rotated = `${headersFor(randomBytes(24))['webhook-signature']} ${headers['webhook-signature']}`;
    await verifyWebhook(body, { ...headers, 'webhook-signature': rotated }, secret, now);
  });

  it.each(['whsec_not base64!', 'whsec_', '', 'whsec_@@@@'])(
    'rejects the secret %j, which is not base64, with the code INVALID_SECRET',
    async (invalid) => {
      const verifying = verifyWebhook(body, headersFor(key), invalid, now);
      await expect(verifying).rejects.toBeInstanceOf(WebhookError);
      await expect(verifying).rejects.toMatchObject({ code: 'INVALID_SECRET' });
    },
  );

  it('rejects another body, a missing header, an invalid signature and an old message', async () => {
    const headers = headersFor(key);
    const codeOf = (text: string, sent: Record<string, string>, at = now) =>
      verifyWebhook(text, sent, secret, at).catch((error: WebhookError) => error.code);
    expect(await codeOf(`${body} `, headers)).toBe('INVALID_SIGNATURE');
    expect(await codeOf(body, { ...headers, 'webhook-id': '' })).toBe('MISSING_HEADER');
    expect(await codeOf(body, { ...headers, 'webhook-signature': 'v1,not base64!' })).toBe(
      'INVALID_SIGNATURE',
    );
    expect(await codeOf(body, headers, new Date(now.getTime() + 301_000))).toBe('EXPIRED');
  });
});
