import { endianness } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ownersOf } from '../../src/lib/peer-owner.ts';

/** Rows as Linux writes them on a little-endian machine. */
const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:20E4 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 100 1 0000000000000000 100 0
   1: 0100007F:C001 0100007F:20E4 01 00000000:00000000 00:00000000 00000000    33        0 101 1 0000000000000000 20 4
   2: 0100007F:20E4 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 102 1 0000000000000000 20 4
   3: 0100007F:C002 0100007F:20E4 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0000000000000000
   4: 0100007F:C003 0100007F:20E4 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 20 4
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:C004 0000000000000000FFFF00000100007F:20E4 01 00000000:00000000 00:00000000 00000000   108        0 103 1
   1: 00000000000000000000000001000000:C001 00000000000000000000000001000000:20E4 01 00000000:00000000 00:00000000 00000000  1001        0 104 1
`;

describe.runIf(endianness() === 'LE')('the owners of a socket in the tables of Linux', () => {
  const service = { address: '127.0.0.1', port: 8420 };
  it.each([
    ['an IPv4 socket', '127.0.0.1', 0xc001, [33]],
    [
      'an IPv4 socket whose connection the service sees with mapped addresses',
      '::ffff:127.0.0.1',
      0xc001,
      [33],
    ],
    ['an IPv6 socket with mapped addresses', '127.0.0.1', 0xc004, [108]],
    ['a socket that is not in the tables', '127.0.0.1', 0xc009, []],
    ['a socket in TIME_WAIT, which has root as its user', '127.0.0.1', 0xc002, []],
    ['a socket that its program has closed, which has root as its user', '127.0.0.1', 0xc003, []],
  ])('are found by address and port: %s', (_, address, port, owners) => {
    expect(ownersOf(table, { address, port }, service)).toEqual(owners);
  });

  it('are found for an IPv6 address', () => {
    expect(ownersOf(table, { address: '::1', port: 0xc001 }, { address: '::1', port: 8420 })).toEqual([1001]);
  });
});
