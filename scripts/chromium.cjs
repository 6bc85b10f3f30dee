// @ts-check
// Finds the browser for the tests: the program in CHROMIUM, or one on the PATH, or Google Chrome on macOS.
const { execFileSync, spawnSync } = require('node:child_process');
const { accessSync, constants } = require('node:fs');
const { delimiter, join } = require('node:path');

// The headless shell comes first: it takes a quarter less CPU.
const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
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
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...places, onMac].find(isProgram) ?? null;
}

/** Installs Chromium with apt-get where it is missing; where that fails, says what to do and exits. */
function ensureChromium() {
  if (findChromium()) return;
  process.stderr.write('Installing Chromium for the browser tests (first time only) …\n');
  try {
    const quiet = { stdio: /** @type {const} */ (['ignore', 'ignore', 'inherit']) };
    execFileSync('apt-get', ['update'], quiet);
    for (const name of names.slice(0, 2)) {
      if (findChromium()) break;
      spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], quiet);
    }
  } catch {
    // Not Debian, or not root: the message below says what to do.
  }
  if (findChromium()) return;
  process.stderr.write(
    'The browser tests need Chromium or Google Chrome. Install one of them, or set CHROMIUM to the path of its program.\n',
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

// scripts/test.cjs runs this file beside the installation and the build, because apt-get mostly waits for the network.
if (require.main === module) ensureChromium();

module.exports = { findChromium };
