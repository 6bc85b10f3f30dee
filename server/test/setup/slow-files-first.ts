import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest. Vitest would start those with little text late, and they would run alone at the end. */
const slowFiles = [
  'browser/accessibility',
  'browser/audit-accessibility',
  'browser/operations-accessibility',
  'browser/principals-accessibility',
  'browser/users',
  'cli/serve',
  'docs/examples',
  'embedded-postgres/crash',
  'embedded-postgres/start',
  'faults/hurt-answers',
  'faults/import-kills',
  'faults/job-nodes',
  'faults/job-crash',
  'faults/large-bodies',
  'faults/master-key',
  'faults/overload',
  'faults/stop',
  'faults/unread-answers',
  'import/interruption',
  'import/service-restart',
  'samples/samples',
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
