import { existsSync, readFileSync } from 'node:fs';

/**
 * The folder of the server package: the nearest parent folder of this module with a `package.json`. A fixed `../..`
 * would not work, because the same code runs from `src` (tests), from `dist` (scripts) and from the bundle (the
 * installed program).
 */
export const packageFolder: URL = nearestPackage(new URL('.', import.meta.url));

function nearestPackage(folder: URL): URL {
  const parent = new URL('..', folder);
  if (existsSync(new URL('package.json', folder)) || parent.href === folder.href) return folder;
  return nearestPackage(parent);
}

export const version: string = JSON.parse(
  readFileSync(new URL('package.json', packageFolder), 'utf8'),
).version;
