// Writes docs/screenshots/: the pages of the console, light and dark, of a service with made-up people in it, and labels.txt.
// npm run build, then: node scripts/screenshots/main.mjs
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { builtConsole } from '../../server/dist/console/console.routes.js';
import { openLog } from '../../server/dist/lib/log.js';
import { startService } from '../../server/dist/main.js';
import { readConfig } from '../../server/dist/settings/config.js';
import { openStore } from '../../server/dist/store.js';
import { labelsOf, textsOf } from './labels.mjs';
import { openMailServer, openReceiver } from './receiver.mjs';
import { seed, submitLongJob } from './seed.mjs';
import { italianShots, shotsOf } from './shots.mjs';

const { findChromium } = createRequire(import.meta.url)('../test-programs.cjs');
const pictures = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
/** The pictures replace the former ones together, when all are taken. */
const folder = mkdtempSync(join(tmpdir(), 'anagrafe-pictures-'));
/** The lines of `labels.txt`: a picture and its labels. */
const lines = [];
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

const english = {
  language: 'en',
  locale: 'en-GB',
  heading: 'Sign in',
  byKeys: 'Sign in with an API key',
  publicKey: 'Public key',
  submit: 'Sign in',
  overview: 'Overview',
};
const italian = {
  language: 'it',
  locale: 'it-IT',
  heading: 'Accesso',
  byKeys: 'Accedi con una chiave API',
  publicKey: 'Chiave pubblica',
  submit: 'Accedi',
  overview: 'Panoramica',
};

async function shoot(
  browser,
  url,
  { keys, code },
  shots,
  { viewport, colorScheme, suffix, words = english },
) {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: words.locale,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const texts = textsOf(words.language);
  const save = async (name) => {
    const picture = `${name}-${suffix}.png`;
    await page.screenshot({ path: join(folder, picture) });
    lines.push(`${[picture, ...(await labelsOf(page, texts))].join('\t')}\n`);
  };
  if (words === english) await shootAccountPages(page, { url, code, save });
  await page.goto(`${url}/console`);
  await page.getByRole('heading', { name: words.heading }).waitFor();
  if (words === english) await save('sign-in');
  await page.getByRole('button', { name: words.byKeys }).click();
  await page.getByLabel(words.publicKey).fill(`${keys.PublicKey}.${keys.SecretKey}`);
  await page.getByRole('button', { name: words.submit, exact: true }).click();
  await page.getByRole('heading', { name: words.overview }).waitFor();
  for (const [name, path, there] of shots) {
    await page.goto(`${url}/console${path}`);
    await there(page);
    await page.waitForTimeout(500);
    await save(name);
  }
  await context.close();
}

async function shootAccountPages(page, { url, code, save }) {
  for (const [name, path, heading] of [
    ['account', '', 'Sign in'],
    ['account-password', `set-password#${code}`, 'Choose your password'],
  ]) {
    await page.goto(`${url}/account/${path}`);
    await page.getByRole('heading', { name: heading }).waitFor();
    await save(name);
  }
}

const data = mkdtempSync(join(tmpdir(), 'anagrafe-screenshots-'));
const receiver = await openReceiver();
const mailServer = await openMailServer();
const settings = {
  ANAGRAFE_PORT: '0',
  ANAGRAFE_DATA: data,
  ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1,::1',
  ANAGRAFE_SMTP_URL: mailServer.url,
  ANAGRAFE_MAIL_FROM: 'Anagrafe <no-reply@example.com>',
  ANAGRAFE_PUBLIC_URL: 'https://accounts.example.com',
};
const config = readConfig(settings);
const service = await startService(config, openLog('fatal'), builtConsole());
const store = await openStore(config, { mode: 'existing', log: () => {} });
const browser = await chromium.launch({ executablePath: findChromium() ?? undefined });
try {
  const { keys, office, code, ...seeded } = await seed(service.url, store.database, receiver);
  // The pictures of a pass take longer than the job, which must be running in one of them.
  for (const way of [
    { viewport: desktop, colorScheme: 'light', suffix: 'light' },
    { viewport: desktop, colorScheme: 'dark', suffix: 'dark' },
    { viewport: phone, colorScheme: 'light', suffix: 'phone' },
  ])
    await shoot(
      browser,
      service.url,
      { keys, code },
      shotsOf({ ...seeded, longJob: await submitLongJob(office) }),
      way,
    );
  await shoot(browser, service.url, { keys, code }, italianShots, {
    viewport: desktop,
    colorScheme: 'light',
    suffix: 'light',
    words: italian,
  });
  writeFileSync(join(folder, 'labels.txt'), lines.join(''));
  rmSync(pictures, { recursive: true, force: true });
  cpSync(folder, pictures, { recursive: true });
} finally {
  await browser.close();
  await store.close();
  await service.stop();
  receiver.close();
  mailServer.close();
  rmSync(data, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}
