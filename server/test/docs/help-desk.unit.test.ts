import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPage, root } from './pages.ts';

const textsIn = (language: string) =>
  [`console/src/i18n/${language}.ts`, `console/account/i18n/${language}.ts`]
    .map((file) => readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'"))
    .join('\n');

it.each([
  ['docs/help-desk.md', 'en'],
  ['docs/guida-help-desk.md', 'it'],
])('every bold text of %s is a text of the console or of the account pages', (page, language) => {
  const texts = textsIn(language);
  const bold = [...readPage(page).matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) =>
    text.replace(/\s+/g, ' '),
  );
  expect(bold.length).toBeGreaterThan(10);
  expect(bold.filter((text) => !texts.includes(`'${text}'`) && !texts.includes(`"${text}"`))).toEqual([]);
});
