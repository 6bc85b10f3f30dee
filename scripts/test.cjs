// @ts-check
// Checks format, lint and types, then runs tests. Everything but --suite goes to Vitest: npm test -- update --changed
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { ensureChromium } = require('./chromium.cjs');
const { install, prepare, root, run, step } = require('./prepare.cjs');

/** The projects of server/vitest.config.ts that `npm test`, `npm run check` and `npm run faults` run. */
const suites = {
  test: ['unit', 'service', 'postgres-15'],
  check: ['unit'],
  faults: ['rounds'],
};

const [suite = 'test'] = process.argv.slice(2).flatMap((arg) => arg.match(/^--suite=(.*)$/)?.[1] ?? []);
const args = process.argv.slice(2).filter((arg) => !arg.startsWith('--suite='));
/** Options whose value is the next argument. */
const valued = ['--project', '--testNamePattern', '-t'];
const paths = args.filter((arg, at) => !arg.startsWith('-') && !valued.includes(args[at - 1]));
const namesProject = args.some((arg) => arg.startsWith('--project'));
const tool = (...path) => join(root, 'node_modules', ...path);

try {
  if (suite === 'check') {
    install();
    // The tests of the importer, and the types of the server and the console, use these packages as they are built.
    run(process.execPath, tool('typescript', 'bin', 'tsc'), '--build', 'client', 'importer');
  } else prepare();
  // A word such as "jobs" selects files of the browser tests too.
  const isElsewhere = (path) => existsSync(join(root, 'server', path)) && !path.includes('browser');
  const mayUseBrowser = paths.length === 0 || !paths.every(isElsewhere);
  if (suite === 'test' && mayUseBrowser) ensureChromium();
  step('Checking format and lint');
  run(process.execPath, tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '.');
  step('Checking types');
  for (const project of ['server/test', 'console'])
    run(process.execPath, tool('typescript', 'bin', 'tsc'), '-p', project);
  step('Running tests');
  // Node parses these certificates at the start of every process, which takes twice as long as all the rest. No test
  // connects to another machine.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const projects = namesProject ? [] : suites[suite].flatMap((name) => ['--project', name]);
  run(process.execPath, tool('vitest', 'vitest.mjs'), 'run', '--root', 'server', ...projects, ...args);
} catch (error) {
  // A program that was killed has no status.
  if (error.status == null) console.error(error);
  process.exitCode = error.status ?? 1;
}
