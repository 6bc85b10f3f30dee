// @ts-check
// Installs and builds, each only when something has changed. Plain Node, since nothing is installed yet.
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const stamps = join(root, 'node_modules', '.anagrafe');

/** Installs the dependencies. */
function install() {
  refuseOldNode();
  once('installed', ['package-lock.json'], join(root, 'node_modules', '.package-lock.json'), () => {
    step('Installing dependencies (about 20 s, first time only)');
    npm('ci', '--loglevel=error');
  });
}

/** Installs and builds everything that `npm start`, `npm test` and `npm run bench` need. */
function prepare() {
  install();
  const sources = [
    'client/src',
    'client/tsconfig.json',
    'importer/src',
    'importer/tsconfig.json',
    'server/src',
    'server/tsconfig.json',
    'bench',
    'scripts/bundle-server.mjs',
    'tsconfig.base.json',
    'package-lock.json',
  ];
  once('built', sources, join(root, 'server', 'dist', 'bundle', 'run.js'), () => {
    step('Building the server');
    // tsc leaves behind the output of deleted source files.
    for (const room of ['client', 'importer', 'server', 'bench'])
      rmSync(join(root, room, 'dist'), { recursive: true, force: true });
    run(
      process.execPath,
      join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
      '--build',
      'client',
      'importer',
      'server',
      'bench',
    );
    run(process.execPath, join(root, 'scripts', 'bundle-server.mjs'));
  });
  const pages = [
    ...['account', 'public', 'src', 'index.html', 'precompress.mjs', 'vite.config.ts'].map(
      (name) => `console/${name}`,
    ),
    'client/src',
    'importer/src',
    'server/package.json',
    'package-lock.json',
  ];
  once('console', pages, join(root, 'console', 'account', 'dist', 'index.html'), () => {
    step('Building the console and the account pages');
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    for (const folder of ['console', join('console', 'account')])
      run(process.execPath, vite, 'build', folder, '--logLevel', 'warn');
  });
  const guides = [
    'docs',
    'README.md',
    'CHANGELOG.md',
    'bench/README.md',
    'client/README.md',
    'console/guides',
    'console/precompress.mjs',
    'server/package.json',
    'package-lock.json',
  ];
  once('guides', guides, join(root, 'console', 'guides', 'dist', 'index.html'), () => {
    step('Building the documentation pages');
    run(process.execPath, join(root, 'console', 'guides', 'build.mjs'));
  });
}

/** Does the work unless its result exists and the input files have not changed since. */
function once(name, inputs, result, work) {
  const stamp = join(stamps, name);
  const now = fingerprint(inputs);
  if (existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return;
  work();
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, now);
}

function fingerprint(inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const file of inputs.flatMap((input) => filesOf(join(root, input)))) {
    hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name !== 'dist' && name !== 'node_modules')
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

function npm(...args) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) run(process.execPath, cli, ...args);
  else run('npm', ...args);
}

function run(command, ...args) {
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}

const start = Date.now();

/** Prints what happens next, and when. */
function step(what) {
  const seconds = Math.round((Date.now() - start) / 1000);
  say(`[${String(seconds).padStart(3)} s] ${what} …`);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 18)) return;
  say(
    `Anagrafe needs Node.js 20.18 or newer, but this is ${process.version}. Install a newer version from https://nodejs.org.`,
  );
  process.exit(1);
}

module.exports = { install, prepare, root, run, step };
