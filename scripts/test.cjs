// @ts-check
// Checks format, lint and types, then runs tests. Arguments that are not read here go to Vitest: npm test -- update
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { randomInt } = require('node:crypto');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { install, prepare, root, run, step } = require('./prepare.cjs');

/** The projects of vitest.config.ts that each command runs. */
const suites = {
  test: ['unit', 'service', 'postgres-15'],
  check: ['unit'],
  faults: ['rounds'],
  attack: ['attack'],
};

const args = process.argv.slice(2);
const suite = taken('suite') ?? 'test';
const repeats = suite === 'faults' || suite === 'attack';
const rounds = repeats ? taken('rounds') : null;
const seed = taken('seed') ?? String(randomInt(1, 1e9));
const only = repeats ? taken('only') : null;
for (const [name, value] of Object.entries({ rounds, seed }))
  if (value !== null && !/^[1-9]\d{0,8}$/.test(value)) refuse(`--${name} needs a number from 1 to 999999999`);
// Each file of rounds has the name of what it repeats.
if (suite === 'faults' && only !== null) args.push(...only.split(',').map((name) => `/${name}.`));
/** Options whose value is the next argument. */
const valued = ['--project', '--testNamePattern', '-t'];
const paths = args.filter((arg, at) => !arg.startsWith('-') && !valued.includes(args[at - 1]));
const namesProject = args.some((arg) => arg.startsWith('--project'));
const tool = (...path) => join(root, 'node_modules', ...path);

/** Removes an option with its value from the arguments and returns the value, or null: `--name value` or `--name=value`. */
function taken(name) {
  const at = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (at < 0) return null;
  const [option = '', value] = args.splice(at, args[at] === `--${name}` ? 2 : 1);
  return option.includes('=') ? option.slice(option.indexOf('=') + 1) : (value ?? '');
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** Starts the search for Chromium, and its installation where it is missing. */
function findBrowser() {
  // A word such as "jobs", or a folder such as "console", selects files of the browser tests too.
  const isElsewhere = (path) =>
    path.endsWith('.ts') && existsSync(join(root, path)) && !path.includes('browser');
  const mayUseBrowser = paths.length === 0 || !paths.every(isElsewhere);
  if (suite !== 'test' || !mayUseBrowser) return null;
  return once(spawn(process.execPath, [join(__dirname, 'test-programs.cjs')], { stdio: 'inherit' }), 'exit');
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
  Object.assign(process.env, {
    TEST_SEED: seed,
    ...(rounds !== null && { TEST_ROUNDS: rounds }),
    ...(only !== null && { TEST_ONLY: only }),
  });
  if (repeats) step(`The random choices are those of --seed ${seed}`);
  const projects = namesProject ? [] : suites[suite].flatMap((name) => ['--project', name]);
  run(process.execPath, tool('vitest', 'vitest.mjs'), 'run', ...projects, ...args);
}

main().catch((error) => {
  // A program that was killed has no status.
  if (error.status == null) console.error(error);
  process.exitCode = error.status ?? 1;
});
