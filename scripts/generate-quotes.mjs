// Fills the samples that docs/integrating.md quotes: the block below <!-- samples/bash/register.sh --> is that file.
//
//   node scripts/generate-quotes.mjs           write the page
//   node scripts/generate-quotes.mjs --check   exit 1 when a quoted block is not the text of its file

import { readFileSync, writeFileSync } from 'node:fs';

const docs = new URL('../docs/', import.meta.url);
const page = new URL('integrating.md', docs);
const quote = /^<!-- (samples\/\S+) -->\n+```(\w+)\n[\s\S]*?^```$/gm;

const written = readFileSync(page, 'utf8');
const filled = written.replace(quote, (_, path, language) => {
  const text = readFileSync(new URL(path, docs), 'utf8').trimEnd();
  return `<!-- ${path} -->\n\n\`\`\`${language}\n${text}\n\`\`\``;
});

if (!process.argv.includes('--check')) writeFileSync(page, filled);
else if (filled !== written) {
  console.error('docs/integrating.md quotes a sample as it no longer is: run "npm run generate"');
  process.exit(1);
}
