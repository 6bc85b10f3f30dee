import { describe, expect, it } from 'vitest';
import { type Fields, read } from './reading.ts';

describe('an object that the JSON reader returns', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'];

  it.each(names)('has %s as an own property, without prototype pollution', async (name) => {
    const value = (await read(`{"a":{"${name}":{"polluted":true}}}`)) as { a: Fields };
    expect(Object.keys(value.a)).toEqual([name]);
    expect(Object.hasOwn(value.a, name)).toBe(true);
    expect(value.a[name]).toEqual({ polluted: true });
    expect(value.a.polluted).toBeUndefined();
    expect(({} as Fields).polluted).toBeUndefined();
    expect(JSON.stringify(value)).toBe(`{"a":{"${name}":{"polluted":true}}}`);
  });

  it.each(names)('does not have %s if it was not sent', async (name) => {
    const value = (await read('{"a":1}')) as Fields;
    expect(value[name]).toBeUndefined();
    expect(name in value).toBe(false);
  });

  it('has a frozen prototype', async () => {
    const value = (await read('{"a":1}')) as object;
    expect(Object.isFrozen(Object.getPrototypeOf(value))).toBe(true);
    expect(Object.getPrototypeOf(Object.getPrototypeOf(value))).toBeNull();
  });

  it('can be spread, assigned to, enumerated and serialised', async () => {
    const value = (await read('{"b":1,"a":[2],"1":3}')) as Fields;
    expect({ ...value }).toStrictEqual({ b: 1, a: [2], 1: 3 });
    expect(Object.keys(value)).toEqual(['1', 'b', 'a']);
    expect(JSON.stringify(value)).toBe('{"1":3,"b":1,"a":[2]}');
    value.c = 4;
    expect(value).toEqual({ b: 1, a: [2], c: 4, 1: 3 });
  });
});
