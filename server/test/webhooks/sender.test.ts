import { describe, expect, it } from 'vitest';
import { networkList } from '../../src/network.ts';
import { refusalOf } from '../../src/webhooks/addresses.ts';
import { openSender } from '../../src/webhooks/sender.ts';
import { startReceiver } from '../setup/receiver.ts';

const nowhere = networkList([]);
const here = networkList(['127.0.0.0/8', '::1']);
const send = (url: string, allowed = nowhere) =>
  openSender(allowed, '1').send(url, { 'webhook-id': 'x' }, '{}');

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
      expect([name, came]).toEqual([name, { status: null, failure: expect.stringMatching(/internal/) }]);
    }
    expect(receiver.received).toEqual([]);
    expect(await send(receiver.url, here)).toEqual({ status: 204, failure: null });
    expect(await send(`http://localhost:${port}/hook`, here)).toEqual({ status: 204, failure: null });
  });

  it('follows no redirect', async () => {
    const [receiver, other] = [await startReceiver(), await startReceiver()];
    receiver.answer = () => ({ status: 307, headers: { location: other.url } });
    expect(await send(receiver.url, here)).toEqual({
      status: 307,
      failure: 'the receiver answered with a redirect',
    });
    expect(other.received).toEqual([]);
  });

  it('that cannot be delivered says why', async () => {
    expect(await send('https://no-such-host.invalid/', here)).toEqual({
      status: null,
      failure: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
    expect(await send('http://127.0.0.1:9/', here)).toEqual({ status: null, failure: 'ECONNREFUSED' });
  });
});
