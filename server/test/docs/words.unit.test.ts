import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pages, readPage, root } from './pages.ts';
import { english, italian, type Words } from './words.ts';

const codeBlock = /^(```+)[\s\S]*?^\1$/gm;

it.each([...pages, 'CONTRIBUTING.md'])('%s uses the words of the glossary', (path) => {
  // Blank lines in place of code keep the line numbers.
  const lines = readPage(path).replace(codeBlock, (block) => block.replace(/[^\n]/g, ''));
  expect(found(lines.split('\n'), english)).toEqual([]);
});

it('server/openapi.json uses the words of the glossary', () => {
  expect(found(readPage('server/openapi.json').split('\n'), english)).toEqual([]);
});

it.each([
  { name: 'the translations', words: english, files: ['server/src/i18n/en.ts', 'console/src/i18n/en.ts'] },
  { name: 'the command line', words: english, files: sourcesBelow('server/src/cli') },
  { name: 'the importer', words: english, files: sourcesBelow('importer/src') },
  {
    name: 'the Italian translations',
    words: italian,
    files: ['server/src/i18n/it.ts', 'console/src/i18n/it.ts'],
  },
])('the texts of $name use the words of the product', ({ words, files }) => {
  const places = files.flatMap((path) =>
    found(textsOf(readPage(path)), words).map((place) => `${path} ${place}`),
  );
  expect(places).toEqual([]);
});

it('texts are string literals of more than one word; comments and names are not texts', () => {
  const source =
    "// the 'old journal'\nconst a = 'the journal';\nconst journal = b('journal', `a journal`);\n";
  expect(found(textsOf(source), english)).toEqual([
    'line 2: "journal" in "the journal": write "audit log"',
    'line 3: "journal" in "a journal": write "audit log"',
  ]);
});

/** Returns every forbidden word with its line and its replacement. */
function found(lines: readonly string[], words: Words): string[] {
  return lines.flatMap((line, index) =>
    words.flatMap(([pattern, instead]) => {
      const word = pattern.exec(line)?.[0];
      return word ? [`line ${index + 1}: "${word}" in "${line.trim()}": write "${instead}"`] : [];
    }),
  );
}

/** Returns the texts of each line of a source file. */
function textsOf(source: string): string[] {
  return source.split('\n').map((line) => {
    if (/^\s*(\/\/|\/?\*)/.test(line)) return '';
    const literals = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)];
    return literals
      .map(([, single, double, template]) => single ?? double ?? template ?? '')
      .filter((text) => text.includes(' '))
      .join(' | ');
  });
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`)
    .toSorted();
}
