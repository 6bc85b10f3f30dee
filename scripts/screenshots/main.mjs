// Writes docs/screenshots/: the pages of the console, light and dark, of a service with made-up people in it.
// npm run build, then: node scripts/screenshots/main.mjs
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
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
import { openMailServer, openReceiver } from './receiver.mjs';
import { seed, submitLongJob } from './seed.mjs';
import { shotsOf } from './shots.mjs';

const { findChromium } = createRequire(import.meta.url)('../chromium.cjs');
const folder = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

async function shoot(browser, url, { keys, code }, shots, { viewport, colorScheme, suffix }) {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const save = (name) => page.screenshot({ path: join(folder, `${name}-${suffix}.png`) });
  for (const [name, path, heading] of [
    ['account', '', 'Sign in'],
    ['account-password', `set-password#${code}`, 'Choose your password'],
  ]) {
    await page.goto(`${url}/account/${path}`);
    await page.getByRole('heading', { name: heading }).waitFor();
    await save(name);
  }
  await page.goto(`${url}/console`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await save('sign-in');
  await page.getByRole('button', { name: 'Sign in with an API key' }).click();
  await page.getByLabel('Public key').fill(`${keys.PublicKey}.${keys.SecretKey}`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  for (const [name, path, there] of shots) {
    await page.goto(`${url}/console${path}`);
    await there(page);
    await page.waitForTimeout(500);
    await save(name);
  }
  await context.close();
}

const data = mkdtempSync(join(tmpdir(), 'anagrafe-screenshots-'));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
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
  const shots = shotsOf({ ...seeded, longJob: await submitLongJob(office) });
  for (const way of [
    { viewport: desktop, colorScheme: 'light', suffix: 'light' },
    { viewport: desktop, colorScheme: 'dark', suffix: 'dark' },
    { viewport: phone, colorScheme: 'light', suffix: 'phone' },
  ])
    await shoot(browser, service.url, { keys, code }, shots, way);
} finally {
  await browser.close();
  await store.close();
  await service.stop();
  receiver.close();
  mailServer.close();
  rmSync(data, { recursive: true, force: true });
}
