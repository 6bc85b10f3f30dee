import { endless, startReceiver, stuck } from '@anagrafe/testing/receiver';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { networkList } from '../../src/lib/network.ts';
import { addressError, networkFailure, openSender } from '../../src/webhooks/sender.ts';

const nowhere = networkList([]);
const here = networkList(['127.0.0.0/8', '::1']);
async function send(url: string, allowed = nowhere) {
  const sent = await openSender(allowed, '1').send(url, { 'webhook-id': 'x' }, '{}');
  return { ...sent, answer: await sent.answer };
}

describe('the address of a receiver', () => {
  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '2002:a00:1::',
    '5f00::1',
  ])('is refused if it is internal and not in the allowed networks: %s', (address) => {
    expect(addressError(address, 'https:', nowhere)).toEqual({ code: 'internal_address' });
    expect(
      addressError(address, 'https:', networkList([address.includes(':') ? `${address}` : address])),
    ).toBeNull();
  });

  it.each(['1.1.1.1', '172.32.0.1', '8.8.8.8', '2606:4700::1111', '2a00::1'])(
    'is accepted only with HTTPS if it is public: %s',
    (address) => {
      expect(addressError(address, 'https:', nowhere)).toBeNull();
      expect(addressError(address, 'http:', nowhere)).toEqual({ code: 'plain_http' });
    },
  );
});

describe('a webhook message', () => {
  it('is not sent to this machine by any of its names', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const names = [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0',
    ];
    for (const name of names) {
      const result = await send(`http://${name}:${port}/hook`);
      expect([name, result]).toEqual([
        name,
        { status: null, failure: { code: 'internal_address' }, answer: null },
      ]);
    }
    expect(receiver.received).toEqual([]);
    expect(await send(receiver.url, here)).toEqual({ status: 204, failure: null, answer: null });
    expect(await send(`http://localhost:${port}/hook`, here)).toEqual({
      status: 204,
      failure: null,
      answer: null,
    });
  });

  it('follows no redirect', async () => {
    const [receiver, other] = [await startReceiver(), await startReceiver()];
    receiver.answer = () => ({ status: 307, headers: { location: other.url } });
    expect(await send(receiver.url, here)).toEqual({
      status: 307,
      failure: { code: 'http_status', status: 307 },
      answer: null,
    });
    expect(other.received).toEqual([]);
  });

  it('that cannot be delivered reports the cause', async () => {
    expect(await send('https://no-such-host.invalid/', here)).toEqual({
      status: null,
      failure: {
        code: 'name_not_resolved',
        networkError: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
      },
      answer: null,
    });
    expect(await send('http://127.0.0.1:9/', here)).toEqual({
      status: null,
      failure: { code: 'connection_refused', networkError: 'ECONNREFUSED' },
      answer: null,
    });
    const { port } = new URL((await startReceiver()).url);
    expect(await send(`https://127.0.0.1:${port}/`, here)).toEqual({
      status: null,
      failure: { code: 'tls_error', networkError: expect.stringMatching(/^(ERR_SSL_\w+|EPROTO)$/) },
      answer: null,
    });
  });

  it('fails after 15 seconds without an answer', async () => {
    const receiver = await startReceiver();
    const received = new Promise<void>((resolve) => {
      receiver.answer = () => {
        resolve();
        return null;
      };
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let ended = false;
    const sending = send(receiver.url, here).finally(() => {
      ended = true;
    });
    await received;
    await vi.advanceTimersByTimeAsync(14_999);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await sending).toEqual({
      status: null,
      failure: { code: 'timeout', timeoutMs: 15_000 },
      answer: null,
    });
  });
});

describe('an error of Node.js', () => {
  it.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['ETIMEDOUT', 'connection_timeout'],
    ['EAI_AGAIN', 'name_not_resolved'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['CERT_HAS_EXPIRED', 'tls_error'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error'],
    ['HPE_INVALID_CONSTANT', 'invalid_response'],
    ['EMFILE', 'network_error'],
  ])('with the code %s is stored as %s', (networkError, code) => {
    expect(networkFailure(Object.assign(new Error('text'), { code: networkError }))).toEqual({
      code,
      networkError,
    });
  });

  it('without a code is stored with its message', () => {
    expect(networkFailure(new Error('broken'))).toEqual({ code: 'network_error', networkError: 'broken' });
  });
});

describe('the answer of a receiver', () => {
  /** Returns the text that the sender stores of an answer with this body; null for an empty body. */
  async function kept(body: string | Buffer | AsyncIterable<string>, status = 200): Promise<string | null> {
    const receiver = await startReceiver();
    receiver.answer = () => ({ status, body });
    const result = await send(receiver.url, here);
    expect(result.status).toBe(status);
    expect(result.failure).toEqual(status === 200 ? null : { code: 'http_status', status });
    return result.answer;
  }

  it.each([200, 404, 500])('with status %i is stored with its text', async (status) => {
    expect(await kept('{"error": "perché no"}', status)).toBe('{"error": "perché no"}');
  });

  it('is null if it has no text', async () => {
    expect(await kept('')).toBeNull();
  });

  it('is truncated to 1,000 complete characters', async () => {
    expect(await kept('a'.repeat(1001))).toBe('a'.repeat(1000));
    expect(await kept('😀'.repeat(2000))).toBe('😀'.repeat(1000));
    expect(await kept(`a${'è'.repeat(3000)}`)).toBe(`a${'è'.repeat(999)}`);
  });

  it('that never ends or stalls is stored as far as it was received', async () => {
    expect(await kept(endless('again '.repeat(1000)))).toBe('again '.repeat(167).slice(0, 1000));
    expect(await kept(stuck('to be continued'))).toBe('to be continued');
  });

  it('is stored without control, direction and invalid characters', async () => {
    expect(await kept(Buffer.from([0x00, 0x01, 0x1b, 0x41, 0x80, 0xff, 0x7f, 0x42]))).toBe('���A���B');
    expect(await kept('\u001b[31mred\u001b[0m')).toBe('�[31mred�[0m');
    expect(await kept('one\r\ntwo\tthree\rfour')).toBe('one\ntwo\tthree\nfour');
    expect(await kept('\u202Eexe.doc \u2066\uFEFF\u2028')).toBe('�exe.doc ���');
    expect(await kept('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });

  it('is stored without signatures of the service', async () => {
    const signature = `v1,${Buffer.alloc(32, 'k').toString('base64')}`;
    expect(await kept(`{"webhook-signature":"${signature} ${signature}"}`)).toBe(
      '{"webhook-signature":"v1,… v1,…"}',
    );
  });
});
