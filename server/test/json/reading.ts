import { anyCharacter } from '@anagrafe/testing/random';
import fc from 'fast-check';
import { expect } from 'vitest';
import { JsonError } from '../../src/json/errors.ts';
import { type JsonLimits, readJson } from '../../src/json/read-json.ts';

export const LIMITS: JsonLimits = { maxDepth: 100 };

export type Fields = Record<string, unknown>;

export function read(text: string | Uint8Array, limits = LIMITS): Promise<unknown> {
  return readJson(typeof text === 'string' ? Buffer.from(text) : text, limits);
}

export async function refusal(text: string | Uint8Array, limits = LIMITS): Promise<JsonError> {
  const outcome = await read(text, limits).then(
    () => 'accepted',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(JsonError);
  return outcome as JsonError;
}

/** Copies a value into plain objects like those of `JSON.parse`, so that `toStrictEqual` can compare them. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const [name, field] of Object.entries(value)) {
    Object.defineProperty(copy, name, {
      value: plain(field),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

export const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });

/** Serialises a value as JSON with random white space and random escapes. */
export function spelling(value: unknown, pick: <T>(arbitrary: fc.Arbitrary<T>) => T): string {
  const around = (text: string) => pick(space) + text + pick(space);
  if (typeof value === 'string') {
    return around(`"${[...value].map((character) => spellCharacter(character, pick)).join('')}"`);
  }
  if (Array.isArray(value)) return around(`[${value.map((item) => spelling(item, pick)).join(',')}]`);
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(
      ([name, field]) => `${spelling(name, pick)}:${spelling(field, pick)}`,
    );
    return around(`{${fields.join(',')}}`);
  }
  return around(Object.is(value, -0) ? '-0' : JSON.stringify(value));
}

export function spellCharacter(character: string, pick: <T>(arbitrary: fc.Arbitrary<T>) => T): string {
  if (pick(fc.nat(3)) > 0) return JSON.stringify(character).slice(1, -1);
  if (character === '/') return '\\/';
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  const escaped = units.map((unit) => `\\u${unit}`).join('');
  return pick(fc.boolean()) ? escaped : escaped.toUpperCase().replaceAll('\\U', '\\u');
}

export const anyValue = fc.jsonValue({ depthSize: 'medium', stringUnit: anyCharacter });

export const wholeBody = (users: number) =>
  Buffer.from(
    JSON.stringify(
      Array.from({ length: users / 10 }, (_, record) => ({
        ID: record + 1,
        Users: Array.from({ length: 10 }, (_, user) => {
          const number = String(record * 10 + user).padStart(6, '0');
          return {
            Username: `user${number}`,
            Email: `user${number}@example.com`,
            Password: `correct horse ${number}`,
            ConfirmPassword: `correct horse ${number}`,
          };
        }),
      })),
    ),
  );
