import { describe, expect, it } from 'vitest';
import { plainAddress, sourceOf } from '../../src/lib/network.ts';

describe('the rate limit source', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:50123', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['64:ff9b::cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '20010db800010002::/64'],
    ['[2001:db8:1:2::9]:443', '20010db800010002::/64'],
    ['fe80::1%eth0', 'fe80000000000000::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });
});

describe('the plain address', () => {
  it.each([
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['64:ff9b::cb00:7107', '64:ff9b::cb00:7107'],
    ['2001:db8::7', '2001:db8::7'],
    ['no address', null],
    ['', null],
  ])('of %s is %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain);
  });
});
