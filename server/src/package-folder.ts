import { existsSync } from 'node:fs';

/**
 * The folder of the server package. It is searched upwards from this module rather than written as `../..`, because the
 * same code runs from `src` (tests), from `dist` (scripts) and from the bundle (the installed program).
 */
export const packageFolder: URL = nearestPackage(new URL('.', import.meta.url));

function nearestPackage(folder: URL): URL {
  const parent = new URL('..', folder);
  if (existsSync(new URL('package.json', folder)) || parent.href === folder.href) return folder;
  return nearestPackage(parent);
}
