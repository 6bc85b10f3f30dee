import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, inProcess } from '@anagrafe/testing/command';
import { insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

const settings = { ANAGRAFE_URL: '' };
const folder = dataFolder();
/** Sets the title of the window, clears the screen in C1, and pretends to be another line and another direction. */
const hostile = '\u001b]0;x\u0007\u009b2J\nApplied\u202e';
const escaped = '\\u001b]0;x\\u0007\\u009b2J\\nApplied\\u202e';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

beforeAll(async () => {
  const service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
  await insertPrincipals(service, 1);
});

function writeCsv(name: string, header: readonly string[], row: readonly string[]): string {
  const path = join(folder, name);
  const line = (cells: readonly string[]) => cells.map((cell) => `"${cell}"`).join(',');
  writeFileSync(path, `${line(header)}\n${line(row)}\n`);
  return path;
}

describe('control characters', () => {
  it('in headings and in the name of a file are escaped by an import', async () => {
    const header = ['ID', 'Username', 'Password', `Note${hostile}`];
    const file = writeCsv(`users${hostile}.csv`, header, ['1', 'anna', 'una frase lunga', 'x']);
    const { code, stderr } = await inProcess(['import', file], settings);
    expect(code).toBe(0);
    expect(stderr).toContain(`users${escaped}.csv`);
    expect(stderr).toContain(`"Note${escaped}"`);
    expect(stderr).not.toMatch(controls);
    expect(stderr).not.toMatch(/^Applied/m);
  });

  it('in headings are escaped by the error of an import', async () => {
    // A header with other control characters is taken for a binary file.
    const file = writeCsv('unknown.csv', ['First\u009b2J\nApplied\u202e'], ['x']);
    const { stderr } = await inProcess(['import', file], settings);
    expect(stderr).toContain('First\\u009b2J\\nApplied\\u202e');
    expect(stderr).not.toMatch(controls);
  });

  it('in the name of a file are escaped by an error', async () => {
    const missing = await inProcess(['import', join(folder, `none${hostile}`)], settings);
    expect(missing.stderr).toContain(`none${escaped}`);
    expect(missing.stderr).not.toMatch(controls);
  });
});
