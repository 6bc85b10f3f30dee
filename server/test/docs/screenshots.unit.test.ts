import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { consoleTexts } from './console-texts.ts';
import { root } from './pages.ts';

const folder = join(root, 'docs/screenshots');
const lines = readFileSync(join(folder, 'labels.txt'), 'utf8').trimEnd().split('\n');
const labels = lines.flatMap((line) => {
  const [picture = '', ...shown] = line.split('\t');
  return shown.map((label) => [picture, label] as const);
});
const isText = { en: consoleTexts('en'), it: consoleTexts('it') };

it('every label of a screenshot is still a text of the console', () => {
  const former = labels.filter(([picture, label]) => !isText[picture.startsWith('it-') ? 'it' : 'en'](label));
  expect(former, 'take new pictures: node scripts/screenshots/main.mjs').toEqual([]);
});

it('every screenshot has labels, and all of them are of one run', () => {
  const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'));
  expect([...new Set(labels.map(([picture]) => picture))].toSorted()).toEqual(pictures.toSorted());
});
