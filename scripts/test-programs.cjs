// @ts-check
// Finds and installs the programs that only the tests need: a browser (the program in CHROMIUM, or one on the PATH, or
// Google Chrome on macOS), and the languages of docs/samples.
const { spawnSync } = require('node:child_process');
const { accessSync, constants } = require('node:fs');
const { delimiter, join } = require('node:path');

// The headless shell comes first: it takes a quarter less CPU.
const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const quiet = { stdio: /** @type {const} */ (['ignore', 'ignore', 'inherit']) };
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** Returns the path of the browser, or null. */
function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return onPath(names) ?? (isProgram(onMac) ? onMac : null);
}

function onPath(programs) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => programs.map((name) => join(folder, name))).find(isProgram) ?? null;
}

/** The packages of Debian that run the samples in PHP and C#, by a program of each. */
const languages = {
  php: ['php-cli', 'php-curl'],
  mcs: ['mono-mcs', 'mono-runtime', 'libmono-system-net-http4.0-cil', 'libnewtonsoft-json5.0-cil'],
};

/** Installs what is missing with apt-get. Exits if there is no browser then; the samples of a missing language are not run. */
function ensurePrograms() {
  const missing = Object.keys(languages).filter((name) => !onPath([name]));
  if (findChromium() && missing.length === 0) return;
  process.stderr.write('Installing programs for the tests (first time only) …\n');
  if (spawnSync('apt-get', ['update'], quiet).status === 0) {
    for (const name of names.slice(0, 2)) if (!findChromium()) install([name]);
    install(missing.flatMap((name) => languages[name]));
  }
  if (findChromium()) return;
  process.stderr.write(
    'The browser tests need Chromium or Google Chrome. Install one of them, or set CHROMIUM to the path of its program.\n',
  );
  process.exit(1);
}

function install(packages) {
  if (packages.length > 0)
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], quiet);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// scripts/test.cjs runs this file beside the installation and the build, because apt-get mostly waits for the network.
if (require.main === module) ensurePrograms();

module.exports = { findChromium };
