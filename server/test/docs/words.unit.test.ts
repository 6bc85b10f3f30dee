import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allPages, readPage, root } from './pages.ts';
import { english, italian, type Words } from './words.ts';

const codeBlock = /^(```+)[\s\S]*?^\1$/gm;

it.each(allPages)('%s uses the words of the glossary', (path) => {
  // Blank lines in place of code keep the line numbers.
  const lines = readPage(path).replace(codeBlock, (block) => block.replace(/[^\n]/g, ''));
  expect(found(lines.split('\n'), english)).toEqual([]);
});

it('server/openapi.json uses the words of the glossary', () => {
  expect(found(readPage('server/openapi.json').split('\n'), english)).toEqual([]);
});

it.each([
  {
    language: 'English',
    words: english,
    files: [
      'server/src/i18n/en.ts',
      'server/src/i18n/en-fields.ts',
      'server/src/i18n/webhook-failures.ts',
      'console/src/i18n/en.ts',
    ],
  },
  {
    language: 'Italian',
    words: italian,
    files: ['server/src/i18n/it.ts', 'server/src/i18n/it-fields.ts', 'console/src/i18n/it.ts'],
  },
])('the $language translations use the words of the product', ({ words, files }) => {
  expect(foundInTexts(files, words, literalsOf)).toEqual([]);
});

it.each(['server/src/cli', 'importer/src'])('the texts of %s use the words of the glossary', (folder) => {
  expect(foundInTexts(sourcesBelow(folder), english, textsOf)).toEqual([]);
});

it('literals of more than one word are texts; comments, names and inserted values are not', () => {
  const inserted = '$' + '{fault}';
  const source = `// the 'old journal'\nconst a = 'the journal';\nconst journal = b('journal', \`a ${inserted} c\`);\n`;
  expect(found(textsOf(source), english)).toEqual(['line 2: "journal" in "the journal": write "audit log"']);
  expect(found(literalsOf(source), english)).toHaveLength(2);
});

function foundInTexts(files: readonly string[], words: Words, read: (source: string) => string[]): string[] {
  return files.flatMap((path) => found(read(readPage(path)), words).map((place) => `${path} ${place}`));
}

/** Returns every forbidden word with its line and its replacement. */
function found(lines: readonly string[], words: Words): string[] {
  return lines.flatMap((line, index) =>
    words.flatMap(([pattern, instead]) => {
      const word = pattern.exec(line)?.[0];
      return word ? [`line ${index + 1}: "${word}" in "${line.trim()}": write "${instead}"`] : [];
    }),
  );
}

/** Returns the string literals of each line of a source file, without inserted values. */
function literalsOf(source: string): string[] {
  return source.split('\n').map((line) => literalsIn(line).join(' | '));
}

/** Returns the string literals that have more than one word, and so are texts for people. */
function textsOf(source: string): string[] {
  const isText = (literal: string) => literal.includes(' ');
  return source.split('\n').map((line) => literalsIn(line).filter(isText).join(' | '));
}

function literalsIn(line: string): string[] {
  if (/^\s*(\/\/|\/?\*)/.test(line)) return [];
  const literals = line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g);
  return [...literals].map(([, single, double, template]) =>
    (single ?? double ?? template ?? '').replace(/\$\{[^}]*\}/g, '{}'),
  );
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`)
    .toSorted();
}
