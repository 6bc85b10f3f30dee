import { readFileSync } from 'node:fs';

/** As the package says it. */
export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
