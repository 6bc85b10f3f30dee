import { isUtf8 } from 'node:buffer';
import { bytesOf, cut, latin, readFile } from '@anagrafe/testing/import-file';
import { runs } from '@anagrafe/testing/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decoder } from '../src/file/text.ts';
import { type Encoding, openImportFile } from '../src/index.ts';

const header = 'Username;Password;Ragione sociale\n';

/** Returns a file whose last row has this company name, after `rowsBefore` other rows. */
function company(name: string, rowsBefore = 0): string {
  return `${header}${'mario;segreto;Rossi\n'.repeat(rowsBefore)}mario;segreto;${name}\n`;
}

function utf16(text: string, bigEndian: boolean): Uint8Array {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return new Uint8Array(bigEndian ? bytes.swap16() : bytes);
}

async function lastCompany(bytes: Uint8Array, encoding?: Encoding): Promise<string | undefined> {
  const { rows, error } = await readFile(bytes, encoding ? { encoding } : {});
  const last = rows.at(-1);
  if (error || last?.kind !== 'user') throw new Error(error?.code ?? 'no user');
  return last.principal.Denomination;
}

/** The bytes without a character in Windows-1252. */
const undefinedBytes = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

describe('the encoding of a file', () => {
  it('is UTF-8, with or without a byte order mark', async () => {
    expect(await lastCompany(bytesOf(company('Caffè 東京 😀')))).toBe('Caffè 東京 😀');
    expect(await lastCompany(bytesOf(`\ufeff${company('Caffè 東京 😀')}`))).toBe('Caffè 東京 😀');
  });

  it('is UTF-16 if it has that byte order mark', async () => {
    expect(await lastCompany(utf16(company('Caffè 東京 😀'), false))).toBe('Caffè 東京 😀');
    expect(await lastCompany(utf16(company('Caffè 東京 😀'), true))).toBe('Caffè 東京 😀');
  });

  it('is Windows-1252 if it is not UTF-8, including characters that Latin-1 does not have', async () => {
    const bytes = latin(company('L\x92\xe8 pi\xf9: 10 \x80 \x96 \xabs\xec\xbb'));
    expect(await lastCompany(bytes)).toBe('L’è più: 10 € – «sì»');
  });

  it.each([1, 3_000, 20_000])(
    'is detected even if the first non-ASCII byte comes after %i rows',
    async (rows) => {
      expect(await lastCompany(latin(company('Caff\xe8', rows)))).toBe('Caffè');
      expect(await lastCompany(bytesOf(company('Caffè', rows)))).toBe('Caffè');
    },
  );

  it('may not change within a file, and the error has the line of the change', async () => {
    const windowsLast = Buffer.concat([bytesOf(company('Caffè', 5)), latin('anna;segreto;Caff\xe8\n')]);
    const first = await readFile(windowsLast);
    expect(first.error).toMatchObject({
      code: 'ENCODING_CHANGES',
      params: { line: 8, from: 'utf-8', to: 'windows-1252' },
    });
    expect(first.rows).toHaveLength(6);
    const utf8Last = Buffer.concat([latin(company('Caff\xe8', 5)), bytesOf('anna;segreto;Caffè\n')]);
    const second = await readFile(utf8Last);
    expect(second.error).toMatchObject({
      code: 'ENCODING_CHANGES',
      params: { line: 8, from: 'windows-1252', to: 'utf-8' },
    });
    expect(second.rows).toHaveLength(6);
  });

  it('may not change in the last bytes of a file', async () => {
    const bytes = Buffer.concat([latin(company('Caff\xe8')), bytesOf('anna;segreto;Caffè')]);
    expect((await readFile(bytes)).error).toMatchObject({ code: 'ENCODING_CHANGES', params: { line: 3 } });
  });

  it('is the encoding of the options if they have one', async () => {
    const mixed = Buffer.concat([latin(company('Caff\xe8')), bytesOf('anna;segreto;Caffè\n')]);
    expect(await lastCompany(mixed, 'windows-1252')).toBe('CaffÃ¨');
    expect((await readFile(mixed, { encoding: 'utf-8' })).error).toMatchObject({
      code: 'NOT_IN_ENCODING',
      params: { line: 2, encoding: 'utf-8' },
    });
  });

  it('has all characters of Windows-1252 that ISO 8859-1 does not have', async () => {
    const bytes = Array.from({ length: 32 }, (_, at) => 0x80 + at).filter(
      (byte) => !undefinedBytes.includes(byte),
    );
    const name = `x${String.fromCharCode(...bytes)}`;
    expect(await lastCompany(latin(company(name)))).toBe('x€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');
    expect(await lastCompany(latin(company(name)), 'windows-1252')).toBe('x€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');
  });

  it.each(undefinedBytes)(
    'is refused as Windows-1252 with the byte %i, which is undefined there',
    async (byte) => {
      const bytes = latin(company(`Tess${String.fromCharCode(byte)}rl`, 3));
      expect((await readFile(bytes)).error).toMatchObject({
        code: 'NOT_IN_ENCODING',
        params: { line: 5, encoding: 'windows-1252' },
      });
    },
  );

  it.each([
    ['half a unit', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 1)],
    ['half a pair', (bytes: Uint8Array) => new Uint8Array([...bytes, 0x3d, 0xd8])],
    ['the second half alone', (bytes: Uint8Array) => new Uint8Array([...bytes, 0x00, 0xde, 0x0a, 0x00])],
  ])('is refused as UTF-16 with %s', async (_, broken) => {
    const { error } = await readFile(broken(utf16(company('Rossi'), false)));
    expect(error).toMatchObject({ code: 'NOT_IN_ENCODING', params: { encoding: 'utf-16le' } });
  });

  it('is required as an option if the header contains NUL', async () => {
    const bytes = utf16(company('Rossi'), false).subarray(2);
    expect((await readFile(bytes)).error).toMatchObject({ code: 'NUL_IN_HEADER', params: { line: 1 } });
    expect(await lastCompany(bytes, 'utf-16le')).toBe('Rossi');
  });

  it.each([
    ['.xlsx', [0x50, 0x4b, 0x03, 0x04, 0x14], 'INVALID_WORKBOOK'],
    ['.xls', [0xd0, 0xcf, 0x11, 0xe0, 0xa1], 'SPREADSHEET_FILE'],
  ])('is not detected for the binary file of a spreadsheet: %s', async (_, bytes, code) => {
    expect((await readFile(new Uint8Array(bytes))).error?.code).toBe(code);
  });

  it.each([
    ['PNG', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52]],
    ['JPEG', [0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1]],
    ['gzip', [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]],
  ])('is refused for another binary file, in any chunks: %s', async (_, bytes) => {
    for (const cuts of [[], bytes.map((_, at) => at)])
      expect((await readFile(new Uint8Array(bytes), {}, cuts)).error?.code).toBe('BINARY_FILE');
  });

  it('is not refused for a text with a control character in a row', async () => {
    const { error, rows } = await readFile('Username;Password;ID\nma\x01rio;una frase lunga;1\n');
    expect([error, rows.length]).toEqual([null, 1]);
  });

  it('does not depend on the chunks in which a text arrives', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'è', '€', '東', '😀', '\n'),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 40,
    });
    const encodings: fc.Arbitrary<[Encoding | null, (text: string) => Uint8Array]> = fc.constantFrom(
      [null, bytesOf],
      ['utf-8', bytesOf],
      ['utf-16le', (text: string) => utf16(text, false)],
      ['utf-16be', (text: string) => utf16(text, true)],
    );
    await fc.assert(
      fc.asyncProperty(text, encodings, fc.array(fc.nat(200)), async (text, [forced, encode], cuts) => {
        const decoder = new Decoder(forced);
        const pieces: string[] = [];
        for await (const chunk of cut(encode(text), cuts)) pieces.push(decoder.decode(chunk, false).text);
        pieces.push(decoder.decode(new Uint8Array(), true).text);
        expect(pieces.join('')).toBe(text);
      }),
      runs(300),
    );
  });

  it('does not depend on the chunks in which arbitrary bytes arrive', async () => {
    const anyBytes = fc.uint8Array({ maxLength: 30 }).map((bytes) => Uint8Array.from(bytes, (byte) => byte));
    await fc.assert(
      fc.asyncProperty(anyBytes, fc.array(fc.nat(30)), async (bytes, cuts) => {
        const outcomes = [];
        for (const places of [[], cuts]) {
          const decoder = new Decoder(null);
          let text = '';
          let stopped = false;
          for await (const chunk of cut(bytes, places)) {
            const part = decoder.decode(chunk, false);
            text += stopped ? '' : part.text;
            stopped ||= part.error !== undefined;
          }
          const last = decoder.decode(new Uint8Array(), true);
          outcomes.push({ encoding: decoder.encoding, invalid: stopped || last.error !== undefined });
          if (!stopped && !last.error) outcomes.push(text + last.text);
        }
        expect(outcomes.slice(outcomes.length / 2)).toEqual(outcomes.slice(0, outcomes.length / 2));
      }),
      runs(300),
    );
  });

  it('is UTF-8 exactly if Node.js agrees, for all sequences of up to three boundary bytes', () => {
    const limits = [
      ...[0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf],
      ...[0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
    ];
    const wrong: number[][] = [];
    for (const length of [1, 2, 3]) {
      const bytes = new Uint8Array(length);
      for (let n = 0; n < limits.length ** length; n++) {
        for (let at = 0, rest = n; at < length; at++, rest = Math.floor(rest / limits.length))
          bytes[at] = limits[rest % limits.length] ?? 0;
        const { error } = new Decoder('utf-8').decode(bytes, true);
        if ((error === undefined) !== isUtf8(bytes)) wrong.push([...bytes]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is detected from a stream that reuses its buffer for the next chunk', async () => {
    const text = company('Caffè 東京 😀', 3);
    async function* reused() {
      const memory = new Uint8Array(1);
      for (const byte of bytesOf(text)) {
        memory[0] = byte;
        yield memory;
      }
    }
    const rows = [];
    for await (const row of await openImportFile(reused())) rows.push(row);
    expect(rows.at(-1)).toMatchObject({ principal: { Denomination: 'Caffè 東京 😀' } });
  });
});
