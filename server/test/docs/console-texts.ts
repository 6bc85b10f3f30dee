import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pages.ts';

/** Returns a function that is true for a text of the console or of the account pages, as a whole and without inserted values. */
export function consoleTexts(language: 'en' | 'it'): (text: string) => boolean {
  const source = ['src', 'account']
    .map((part) => readFileSync(join(root, `console/${part}/i18n/${language}.ts`), 'utf8'))
    .join('\n')
    .replaceAll("\\'", "'");
  return (text) => source.includes(`'${text}'`) || source.includes(`"${text}"`);
}
