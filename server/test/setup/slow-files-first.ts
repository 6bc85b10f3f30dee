import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest. Vitest would start the short ones among them late, and they would run alone at the end. */
const slowFiles = [
  'cli/serve',
  'docs/examples',
  'embedded-postgres/start',
  'faults/import-kills',
  'faults/job-crash',
  'faults/large-bodies',
  'faults/master-key',
  'http/random-bodies',
  'import/interruption',
].map((name) => `/test/${name}.test.ts`);

function isSlow({ moduleId }: TestSpecification): boolean {
  return slowFiles.some((file) => moduleId.endsWith(file));
}

export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
