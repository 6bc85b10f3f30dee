import { describe, expect, it } from 'vitest';
import { refusal } from './reading.ts';

describe('an error of the JSON reader', () => {
  it.each([
    ['[{"ID":1},{"Users":[{"ID":x}]}]', '[1].Users[0].ID'],
    ['[{"ID":1,"Users":[{"ID":2 "Name":1}]}]', '[0].Users[0].ID'],
    ['{"Users":[{"ID":1},{,}]}', 'Users[1]'],
    ['{"Users":[1,2', 'Users[1]'],
    ['{"Users":[1,2,', 'Users[2]'],
    ['{"Users":[],x', ''],
    ['{"Users":[{}]}}', ''],
    ['{"a b":{"":[tru]}}', '["a b"][""][0]'],
    ['{"a":{"b":{}},"c":"', 'c'],
    [`{"a":["${'x'.repeat(100_000)}`, 'a[0]'],
    ['x', ''],
  ])('has the path of the invalid value in body %#', async (text, at) => {
    expect(await refusal(text)).toMatchObject({ problem: 'syntax', at });
  });

  it('has its offset in UTF-16 code units, not in bytes', async () => {
    const text = '["é","€","😀",x]';
    expect(await refusal(text)).toMatchObject({ offset: text.indexOf('x') });
    const large = `["${'é😀'.repeat(400_000)}",x]`;
    expect(await refusal(large)).toMatchObject({ offset: large.indexOf('x') });
  });

  it('has a message with the problem, the offset and the field', async () => {
    const error = await refusal('[{"ID":1,"ID":2}]');
    expect(error.message).toBe('A field occurs twice in one object, at character 9 in [0].ID');
  });

  it('never contains a part of a value', async () => {
    const secret = 'CaNaRy';
    const body = (password: string, after = '') =>
      `[{"ID":1,"Users":[{"Username":"u","Password":${password},"ConfirmPassword":"${secret}"}]${after}}]`;
    const broken = [
      body(secret),
      body(`"${secret}`),
      body(`"${secret}"${secret}"`),
      body(`"${secret}" "${secret}"`),
      body(`'${secret}'`),
      body(`"${secret}\\x${secret}"`),
      body(`"${secret}\\ud800${secret}"`),
      body(`"${secret}\\u0${secret}"`),
      body(`"${secret}\n${secret}"`),
      body(`"${secret}","${secret}"`),
      body(`"${secret}","Password":"${secret}"`),
      body(`["${secret}",["${secret}",[["${secret}"]]]]`),
      body(`"${secret}"`, ']'),
      body(`"${secret}"`, `"${secret}"`),
      body(`"${secret}",${secret}`),
      body(`12345${secret}`),
      body(`1e999,"x":"${secret}"`),
      body(`"${secret}"`).replace(`"ConfirmPassword":`, ''),
      body(`"${secret.repeat(20_000)}`),
      body(`"${secret.repeat(20_000)}\\ud800"`),
      Buffer.concat([Buffer.from(`["${secret}`), Buffer.from([0xff]), Buffer.from(`${secret}"]`)]),
      ...Array.from({ length: 60 }, (_, cut) => body(`"${secret}"`).slice(0, 20 + cut)),
    ];
    for (const text of broken) {
      const error = await refusal(text, { maxDepth: 7 });
      const texts = [error.message, error.stack, String(error.cause), JSON.stringify(error), error.at].join();
      expect(texts.toLowerCase()).not.toContain(secret.toLowerCase().slice(0, 4));
    }
  });
});
