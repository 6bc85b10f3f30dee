import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { openImportFile } from '../src/index.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const rows = 60_000;
const rowsAtATime = 1_000;
/** The number of rows between two measurements. */
const rowsBetween = 15_000;

const formats = {
  csv: {
    before: 'ID;Username;Email;Password\r\n',
    after: '',
    row: (n: number) => `${n};utente.${n};u${n}@example.com;"una frase però lunga"\r\n`,
  },
  json: {
    before: '[',
    after: ']',
    row: (n: number) =>
      `${n > 1 ? ',' : ''}{"ID":${n},"Username":"utente.${n}","Email":"u${n}@example.com","Password":"una frase però lunga"}`,
  },
  ndjson: {
    before: '',
    after: '',
    row: (n: number) =>
      `{"ID":${n},"Username":"utente.${n}","Email":"u${n}@example.com","Password":"una frase però lunga"}\n`,
  },
};

function used(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('the memory use of a file', () => {
  it.each(['csv', 'json', 'ndjson'] as const)(
    'grows by less than half of the bytes read from a large file: %s',
    async (format) => {
      const { before, after, row } = formats[format];
      let size = 0;
      async function* generate() {
        yield Buffer.from(before);
        for (let first = 1; first <= rows; first += rowsAtATime) {
          const chunk = Buffer.from(Array.from({ length: rowsAtATime }, (_, at) => row(first + at)).join(''));
          size += chunk.length;
          yield chunk;
        }
        yield Buffer.from(after);
      }
      let count = 0;
      // The first measurement already includes compiled code and the first buffers.
      let start = { size: 0, used: 0 };
      let most = 0;
      for await (const row of await openImportFile(generate())) {
        if (row.kind !== 'user') throw new Error(`Row ${row.number} is a fault.`);
        if (++count === rowsBetween) start = { size, used: used() };
        else if (count % rowsBetween === 0) most = Math.max(most, used() - start.used);
      }
      expect(count).toBe(rows);
      // Retained rows would use more memory than their bytes; the test runner itself uses a few hundred KB.
      expect(most / (size - start.size)).toBeLessThan(0.5);
    },
  );
});
