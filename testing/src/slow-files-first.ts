import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest. Vitest would start those with little text late, and they would run alone at the end. */
const slowFiles = [
  'console/test/browser/accessibility',
  'console/test/browser/operations-accessibility',
  'console/test/browser/principals',
  'console/test/browser/principals-accessibility',
  'console/test/browser/sync',
  'console/test/browser/users',
  'importer/test/service/interruption',
  'importer/test/service/service-restart',
  'server/test/backup/backup',
  'server/test/backup/restore-to-time',
  'server/test/backup/scheduled-backup',
  'server/test/cli/serve',
  'server/test/docs/examples',
  'server/test/embedded-postgres/crash',
  'server/test/embedded-postgres/start',
  'server/test/faults/hurt-answers',
  'server/test/faults/import-kills',
  'server/test/faults/job-crash',
  'server/test/faults/job-nodes',
  'server/test/faults/large-bodies',
  'server/test/faults/lost-answers',
  'server/test/faults/master-key',
  'server/test/faults/overload',
  'server/test/faults/stop',
  'server/test/faults/unread-answers',
  'server/test/samples/samples',
].map((name) => `/${name}.test.ts`);

function isSlow({ moduleId }: TestSpecification): boolean {
  return slowFiles.some((file) => moduleId.endsWith(file));
}

/** The rest of the project of the slow files comes next, because a worker that changes to another project starts anew. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const slow = sorted.filter(isSlow);
    const others = sorted.filter((file) => !isSlow(file));
    const isOfSameProject = ({ project }: TestSpecification) => project === slow[0]?.project;
    return [...slow, ...others.filter(isOfSameProject), ...others.filter((file) => !isOfSameProject(file))];
  }
}
