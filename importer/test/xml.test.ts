import { describe, expect, it } from 'vitest';
import { readXml } from '../src/file/xml.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** Reads the value of the attribute `r` of each element. */
async function attributesOf(text: string): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  await readXml(once(text), { open: (_, attribute) => found.push(attribute('r')) });
  return found;
}

describe('an XML tag', () => {
  it('has its attributes after any white space, in single or double quotes', async () => {
    expect(await attributesOf("<a r=\"1\"><b\n  x='y' r = '2'/><c/></a>")).toEqual(['1', '2', undefined]);
  });

  it('with a long name that has no value is read in linear time', async () => {
    // With quadratic time this takes longer than the time limit of a test.
    expect(await attributesOf(`<a ${'x'.repeat(1_000_000)}>${'<b/>'}</a>`)).toEqual([undefined, undefined]);
    expect(await attributesOf(`<a ${'x '.repeat(500_000)}></a>`)).toEqual([undefined]);
  });
});
