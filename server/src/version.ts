import { readFileSync } from 'node:fs';
import { packageFolder } from './package-folder.ts';

/** As the package says it. */
export const version: string = JSON.parse(
  readFileSync(new URL('package.json', packageFolder), 'utf8'),
).version;
