import { type Source, sourcesBelow, topFolderOf } from '@anagrafe/testing/sources';
import { describe, expect, it } from 'vitest';

const packages = ['server', 'client', 'importer', 'console'];

/** Returns the imports of a file for which `isWrong` is true, as texts. */
function wrongImports(sources: Source[], isWrong: (target: string, path: string) => boolean): string[] {
  return sources.flatMap(({ path, ours, others }) =>
    [...ours, ...others]
      .filter((target) => isWrong(target, path))
      .map((target) => `${path} imports ${target}`),
  );
}

describe('the tests', () => {
  it.each(packages)('of %s import what is shared with other packages only from @anagrafe/testing', (name) => {
    const sources = sourcesBelow(`${name}/test`);
    expect(sources.some(({ others }) => others.includes('@anagrafe/testing/service'))).toBe(true);
    expect(wrongImports(sources, (target) => /^(\.\.\/)+(testing|[a-z]+\/test)\//.test(target))).toEqual([]);
  });

  it('of a folder of the server import only helpers of the same folder and of @anagrafe/testing', () => {
    const foreign = wrongImports(
      sourcesBelow('server/test'),
      (target, path) => /^[^./@]+\/.*\.ts$/.test(target) && topFolderOf(target) !== topFolderOf(path),
    );
    expect(foreign).toEqual([]);
  });

  it('share helpers that import no test', () => {
    expect(wrongImports(sourcesBelow('testing/src'), (target) => /\/test\//.test(target))).toEqual([]);
  });

  it.each(packages)('of all packages share helpers that the sources of %s do not import', (name) => {
    const sources = sourcesBelow(`${name}/src`);
    expect(wrongImports(sources, (target) => /@anagrafe\/testing|\/testing\//.test(target))).toEqual([]);
  });
});
