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

describe('an XML document', () => {
  it('has attributes after any white space, in single or double quotes, with or without a prefix', async () => {
    expect(await attributesOf("<a r=\"1\"><b\n  x='y' r = '2'/><c/><d x:r='3'/></a>")).toEqual([
      '1',
      '2',
      undefined,
      '3',
    ]);
  });

  it('with thousands of attributes in one tag is read in linear time', async () => {
    // With quadratic time this takes longer than the time limit of a test.
    const attributes = Array.from({ length: 20_000 }, (_, at) => `x${at}=""`).join(' ');
    expect(await attributesOf(`<a ${attributes}></a>`)).toEqual([undefined]);
  });

  it.each([
    ['entities that expand', '<!DOCTYPE a [<!ENTITY x "xx"><!ENTITY y "&x;&x;">]><a>&y;</a>'],
    ['an entity of a file', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['an entity that is not defined', '<a>&x;</a>'],
    ['a tag that is not closed', '<a><b></a>'],
    ['no end', '<a><b>'],
  ])('is refused if it has %s', async (_, text) => {
    await expect(attributesOf(text)).rejects.toMatchObject({ code: 'INVALID_WORKBOOK' });
  });
});
