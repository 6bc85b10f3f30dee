import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { networkList } from '../../src/network.ts';
import { refusalOf } from '../../src/webhooks/addresses.ts';
import { openSender } from '../../src/webhooks/sender.ts';
import { endless, startReceiver, stuck } from '../setup/receiver.ts';

const nowhere = networkList([]);
const here = networkList(['127.0.0.0/8', '::1']);
async function send(url: string, allowed = nowhere) {
  const sent = await openSender(allowed, '1').send(url, { 'webhook-id': 'x' }, '{}');
  return { ...sent, answer: await sent.answer };
}

describe('an address', () => {
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
  ])('of the inside gets nothing unless it is named: %s', (address) => {
    expect(refusalOf(address, 'https:', nowhere)).toMatch(/internal/);
    expect(
      refusalOf(address, 'https:', networkList([address.includes(':') ? `${address}` : address])),
    ).toBeNull();
  });

  it.each(['1.1.1.1', '172.32.0.1', '8.8.8.8', '2606:4700::1111', '2a00::1'])(
    'of the outside is reached by https alone: %s',
    (address) => {
      expect(refusalOf(address, 'https:', nowhere)).toBeNull();
      expect(refusalOf(address, 'http:', nowhere)).toMatch(/plain http/);
    },
  );
});

describe('a message', () => {
  it('is not sent to this machine, by whatever name it is called', async () => {
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
      const came = await send(`http://${name}:${port}/hook`);
      expect([name, came]).toEqual([
        name,
        { status: null, failure: expect.stringMatching(/internal/), answer: null },
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
      failure: 'the receiver answered with a redirect',
      answer: null,
    });
    expect(other.received).toEqual([]);
  });

  it('that cannot be delivered says why', async () => {
    expect(await send('https://no-such-host.invalid/', here)).toEqual({
      status: null,
      failure: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
      answer: null,
    });
    expect(await send('http://127.0.0.1:9/', here)).toEqual({
      status: null,
      failure: 'ECONNREFUSED',
      answer: null,
    });
    const { port } = new URL((await startReceiver()).url);
    expect(await send(`https://127.0.0.1:${port}/`, here)).toEqual({
      status: null,
      failure: expect.stringMatching(/SSL|EPROTO/),
      answer: null,
    });
  });

  it('that is not answered is waited for no longer than 15 seconds', async () => {
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
      failure: 'no answer within 15 seconds',
      answer: null,
    });
  });
});

describe('an answer', () => {
  /** What is kept of an answer with this body. */
  async function kept(body: string | Buffer | AsyncIterable<string>, status = 200): Promise<string | null> {
    const receiver = await startReceiver();
    receiver.answer = () => ({ status, body });
    const came = await send(receiver.url, here);
    expect([came.status, came.failure]).toEqual([status, null]);
    return came.answer;
  }

  it.each([200, 404, 500])('of %i is kept with its text', async (status) => {
    expect(await kept('{"error": "perché no"}', status)).toBe('{"error": "perché no"}');
  });

  it('without text is none', async () => {
    expect(await kept('')).toBeNull();
  });

  it('is kept with its first 1,000 characters, none of them cut through', async () => {
    expect(await kept('a'.repeat(1001))).toBe('a'.repeat(1000));
    expect(await kept('😀'.repeat(2000))).toBe('😀'.repeat(1000));
    expect(await kept(`a${'è'.repeat(3000)}`)).toBe(`a${'è'.repeat(999)}`);
  });

  it('that never ends, or comes to a standstill, is kept as far as it is of interest', async () => {
    expect(await kept(endless('again '.repeat(1000)))).toBe('again '.repeat(167).slice(0, 1000));
    expect(await kept(stuck('to be continued'))).toBe('to be continued');
  });

  it('that is no text is shown as far as it can be, and does no harm', async () => {
    expect(await kept(Buffer.from([0x00, 0x01, 0x1b, 0x41, 0x80, 0xff, 0x7f, 0x42]))).toBe('���A���B');
    expect(await kept('\u001b[31mred\u001b[0m')).toBe('�[31mred�[0m');
    expect(await kept('one\r\ntwo\tthree\rfour')).toBe('one\ntwo\tthree\nfour');
    expect(await kept('\u202Eexe.doc \u2066\uFEFF\u2028')).toBe('�exe.doc ���');
    expect(await kept('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });

  it('has no signature of ours in it', async () => {
    const signature = `v1,${Buffer.alloc(32, 'k').toString('base64')}`;
    expect(await kept(`{"webhook-signature":"${signature} ${signature}"}`)).toBe(
      '{"webhook-signature":"v1,… v1,…"}',
    );
  });
});
