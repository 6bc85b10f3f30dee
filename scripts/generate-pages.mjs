// Writes the reference pages of docs/, or with --check fails if one of them is behind the code.
import { readFileSync, writeFileSync } from 'node:fs';
import { commandLinePage } from './command-line-page.mjs';
import { errorsPage, settingsPage } from './reference-pages.mjs';

const pages = {
  'docs/errors.md': errorsPage(),
  'docs/settings.md': settingsPage(),
  'docs/cli.md': commandLinePage(),
};

for (const [path, text] of Object.entries(pages)) {
  const file = new URL(`../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is behind the code; run: npm run generate`);
    process.exitCode = 1;
  }
}
