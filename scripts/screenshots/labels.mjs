// The labels that the pictures show. A test compares them with the texts of the console, and so finds pictures that are older.
import { readFileSync } from 'node:fs';

/** The texts of the console and of the account pages in a language, as TypeScript. */
export function textsOf(language) {
  return ['src', 'account']
    .map((part) => new URL(`../../console/${part}/i18n/${language}.ts`, import.meta.url))
    .map((file) => readFileSync(file, 'utf8').replaceAll("\\'", "'"))
    .join('\n');
}

/** True if the label is one of the texts as a whole, without inserted values. */
const isText = (texts, label) => texts.includes(`'${label}'`) || texts.includes(`"${label}"`);

/** Returns the headings, buttons, column headings and links of navigation that a page shows, without data such as names. */
export async function labelsOf(page, texts) {
  const shown = await page
    .locator('h1, h2, h3, button, th, label, nav a')
    .filter({ visible: true })
    .evaluateAll((elements) =>
      elements
        .filter((element) => element.getBoundingClientRect().top < innerHeight)
        .map((element) => element.innerText.trim()),
    );
  return [...new Set(shown)].filter((label) => label !== '' && isText(texts, label)).sort();
}
