import { describe, expect, it } from 'vitest';
import { difference, filled } from './answers.ts';
import { formatJson, misfit } from './json.ts';
import { type Block, examplesOf } from './pages.ts';

const block = (language: string, text: string): Block => ({ language, text, start: 0, end: text.length });

describe('a documented value', () => {
  it('fits an equal value and values that it leaves open', () => {
    const actual = { ID: 1, Token: 'agt_abc', At: 'now', Users: [1, 2, 3] };
    expect(misfit(actual, actual)).toBeNull();
    expect(misfit({ ID: 1, Token: 'agt_…', At: '…', Users: '…' }, actual)).toBeNull();
    expect(misfit({ ID: '…', Users: [1, '…'], '…': '…' }, actual)).toBeNull();
  });

  it('does not fit another value, length or field', () => {
    expect(misfit({ a: [{ b: 1 }] }, { a: [{ b: 2 }] })).toBe('$.a[0].b is 2, the page shows 1');
    expect(misfit([1], [1, 2])).toBe('$ has 2 items, the page shows 1');
    expect(misfit({ a: 1 }, { b: 1 })).toBe('$ has no a');
    expect(misfit({ a: 1 }, { a: 1, b: 1 })).toBe('$ also has b');
    expect(misfit('agt_…', 'agr_abc')).toBe('$ is "agr_abc", the page shows "agt_…"');
    expect(misfit([1, '…'], [2, 3])).toBe('$[0] is 2, the page shows 1');
  });
});

describe('a documented answer', () => {
  it('in text contains printed lines in their order, and may leave lines out', () => {
    const output = 'one\n  two in 3 s\nthree\n';
    expect(difference(block('text', 'one\ntwo in … s\n'), output)).toBeNull();
    expect(difference(block('text', 'three\none\n'), output)).toContain('"one" is not in the output');
  });

  it('of curl -i has the status line, the shown headers and the body', () => {
    const output = 'HTTP/1.1 200 OK\r\nDate: today\r\nX-Key: 7\r\n\r\n{"a":1}';
    expect(difference(block('http', 'HTTP/1.1 200 OK\nx-key: …\n\n{ "a": 1 }\n'), output)).toBeNull();
    expect(difference(block('http', 'HTTP/1.1 200 OK\nx-key: 8\n'), output)).toContain('x-key');
    expect(difference(block('http', 'HTTP/1.1 404 Not Found\n'), output)).toContain('status line');
    expect(difference(block('http', 'HTTP/1.1 200 OK\n\n{ "a": 2 }\n'), output)).toContain('$.a is 1');
  });

  it('in JSON must be printed as JSON, and as many values as the page shows', () => {
    expect(difference(block('json', '{ "a": 1 }\n{ "a": 2 }\n'), '{"a":1}{"a":2}')).toBeNull();
    expect(difference(block('json', '{ "a": 1 }\n'), '{"a":1}{"a":2}')).toContain('2 items');
    expect(difference(block('json', '{ "a": 1 }\n'), 'not found')).toContain('no JSON');
  });

  it('is written with what two runs have in common', () => {
    const [first, second] = [
      '{"at":"2026-01-01T00:00:00.000Z","n":1,"s":"in 3 s"}',
      '{"at":1,"n":1,"s":"in 4 s"}',
    ];
    expect(filled(block('json', '{}\n'), first, second)).toBe('{ "at": "…", "n": 1, "s": "in … s" }\n');
    expect(filled(block('json', '{ "n": 1, "…": "…" }\n'), first, second)).toBe('{ "n": 1, "…": "…" }\n');
    expect(filled(block('text', ''), 'one\nprogress 1\nlast\n', 'one\nlast\n')).toBe('one\nlast\n');
    const http = block('http', 'HTTP/1.1 500\nx-key: 1\n');
    expect(
      filled(http, 'HTTP/1.1 200 OK\r\nX-Key: a\r\n\r\n{}', 'HTTP/1.1 200 OK\r\nX-Key: b\r\n\r\n{}'),
    ).toBe('HTTP/1.1 200 OK\nx-key: …\n');
  });

  it('in JSON has objects on one line if they fit, and each object of a list on its own', () => {
    expect(formatJson([{ b: [1, 2] }, {}])).toBe('[\n  { "b": [1, 2] },\n  {}\n]');
    const long = 'x'.repeat(90);
    expect(formatJson({ a: long, b: [1] })).toBe(`{\n  "a": "${long}",\n  "b": [1]\n}`);
  });
});

describe('an example', () => {
  it('has the next block as its answer if at most one line of prose is between', () => {
    const page =
      '```sh\na\n```\n\nThe answer:\n\n```json\n1\n```\n```sh\nb\n```\n\nOne.\nTwo.\n\n```json\n2\n```\n```ini\nc\n```\n';
    expect(examplesOf(page).map(({ commands, answer }) => [commands.text, answer?.text])).toEqual([
      ['a\n', '1\n'],
      ['b\n', undefined],
    ]);
  });
});
