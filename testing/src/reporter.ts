import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));
const slowestCount = 10;

/**
 * Prints, after Vitest's own summary, the tests that failed once and then passed, the slowest files, a command for each
 * failed test, and the final count.
 */
export default class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const failed = tests.filter((test) => test.result().state === 'failed');
    const passed = tests.filter((test) => test.result().state === 'passed');
    const failedFiles = modules.filter(
      (module) => module.state() === 'failed' && ![...module.children.allTests('failed')].length,
    );

    const unstable = passed.filter((test) => test.diagnostic()?.flaky);

    if (unstable.length > 0)
      print('\nPassed only when run again (each is an error of the test or of the product):');
    for (const test of unstable) print(`  ${commandFor(test)}`);
    if (modules.length > 1) printSlowest(modules);
    if (failed.length + failedFiles.length > 0) print('\nRun a failure alone:');
    for (const module of failedFiles)
      print(`  npm test -- ${pathOf(module)} --project ${module.project.name}`);
    for (const test of failed) print(`  ${commandFor(test)}`);
    if (unhandledErrors.length > 0) print(`\nErrors outside of any test: ${unhandledErrors.length}`);
    const failures = failed.length + failedFiles.length + unhandledErrors.length;
    print(`\n${passed.length} passed, ${failures} failed`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printSlowest(modules: readonly TestModule[]): void {
  const seconds = (module: TestModule) => module.diagnostic().duration / 1000;
  const slowest = modules.toSorted((one, other) => seconds(other) - seconds(one)).slice(0, slowestCount);
  print(`\nSlowest ${slowest.length} of ${modules.length} files:`);
  for (const module of slowest) {
    print(`  ${seconds(module).toFixed(1).padStart(6)} s  ${pathOf(module)} (${module.project.name})`);
  }
}

function commandFor(test: TestCase): string {
  const title = test.fullName.replaceAll(' > ', ' ').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const project = `--project ${test.project.name}`;
  return `npm test -- ${pathOf(test.module)} ${project} -t '${title.replaceAll("'", "'\\''")}'`;
}

/** The path relative to the project's folder, which Vitest accepts as a filter. */
function pathOf(module: TestModule): string {
  return relative(projectFolder, module.moduleId);
}
