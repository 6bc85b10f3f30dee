import { expect, it } from 'vitest';
import { consoleTexts } from './console-texts.ts';
import { readPage } from './pages.ts';

it.each([
  ['docs/help-desk.md', 'en'],
  ['docs/guida-help-desk.md', 'it'],
] as const)('every bold text of %s is a text of the console or of the account pages', (page, language) => {
  const isText = consoleTexts(language);
  const bold = [...readPage(page).matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) =>
    text.replace(/\s+/g, ' '),
  );
  expect(bold.length).toBeGreaterThan(10);
  expect(bold.filter((text) => !isText(text))).toEqual([]);
});
