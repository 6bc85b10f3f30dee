import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from './package-folder.ts';

/** Where the console lies once it has been built, beside the server; null where it has not. */
export function builtConsole(): string | null {
  const folder = fileURLToPath(new URL('../console/dist', packageFolder));
  return existsSync(join(folder, 'index.html')) ? folder : null;
}
