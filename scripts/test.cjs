// @ts-check
// Checks format, lint and types, then runs tests. Everything but --suite goes to Vitest: npm test -- update --changed
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { install, prepare, root, run, step } = require('./prepare.cjs');

/** The projects of vitest.config.ts that `npm test`, `npm run check` and `npm run faults` run. */
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

/** Starts the search for Chromium, and its installation where it is missing. */
function findBrowser() {
  // A word such as "jobs", or a folder such as "console", selects files of the browser tests too.
  const isElsewhere = (path) =>
    path.endsWith('.ts') && existsSync(join(root, path)) && !path.includes('browser');
  const mayUseBrowser = paths.length === 0 || !paths.every(isElsewhere);
  if (suite !== 'test' || !mayUseBrowser) return null;
  return once(spawn(process.execPath, [join(__dirname, 'chromium.cjs')], { stdio: 'inherit' }), 'exit');
}

async function main() {
  const browser = findBrowser();
  if (suite === 'check') {
    install();
    // The tests of the importer, and the types of the server and the console, use these packages as they are built.
    run(process.execPath, tool('typescript', 'bin', 'tsc'), '--build', 'client', 'importer');
  } else prepare();
  step('Checking format and lint');
  run(process.execPath, tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '.');
  step('Checking types');
  for (const project of ['testing', 'console'])
    run(process.execPath, tool('typescript', 'bin', 'tsc'), '-p', project);
  const [failure = 0] = (await browser) ?? [];
  if (failure !== 0) process.exit(1);
  step('Running tests');
  // Node parses these certificates at the start of every process, which takes twice as long as all the rest. No test
  // connects to another machine.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const projects = namesProject ? [] : suites[suite].flatMap((name) => ['--project', name]);
  run(process.execPath, tool('vitest', 'vitest.mjs'), 'run', ...projects, ...args);
}

main().catch((error) => {
  // A program that was killed has no status.
  if (error.status == null) console.error(error);
  process.exitCode = error.status ?? 1;
});
