// @ts-check
// The browser of the tests: what CHROMIUM names, or what is on the PATH, or where macOS has it.
const { execFileSync, spawnSync } = require('node:child_process');
const { accessSync, constants } = require('node:fs');
const { delimiter, join } = require('node:path');

// The one without a window takes a quarter less of the machine.
const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** Where it is; null where there is none. */
function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...places, onMac].find(isProgram) ?? null;
}

/** Installs one where that is possible without asking; else says what to do, and ends. */
function ensureChromium() {
  if (findChromium()) return;
  process.stderr.write('Installing Chromium for the tests of the console, once …\n');
  try {
    const quiet = { stdio: /** @type {const} */ (['ignore', 'ignore', 'inherit']) };
    execFileSync('apt-get', ['update'], quiet);
    for (const name of names.slice(0, 2)) {
      if (findChromium()) break;
      spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], quiet);
    }
  } catch {
    // What is said below is for this case too.
  }
  if (findChromium()) return;
  process.stderr.write(
    'The tests of the console need Chromium or Google Chrome: install it, or name its program in CHROMIUM.\n',
  );
  process.exit(1);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

module.exports = { ensureChromium, findChromium };
