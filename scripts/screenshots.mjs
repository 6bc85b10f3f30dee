// Writes docs/screenshots/: the pages of the console, light and dark, of a service with made-up people in it.
// npm run build, then: node scripts/screenshots.mjs
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Anagrafe } from '../client/dist/index.js';
import { readConfig } from '../server/dist/config.js';
import { builtConsole } from '../server/dist/console-folder.js';
import { openLog } from '../server/dist/log.js';
import { startService } from '../server/dist/main.js';
import { openStore } from '../server/dist/store.js';

const { findChromium } = createRequire(import.meta.url)('./chromium.cjs');
const folder = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));

const firms = [
  'Rossi Srl',
  'Bianchi SpA',
  'Comune di Lucca',
  'Verdi & Figli',
  'Ospedale San Marco',
  'Teatro Sociale',
];
const first = ['anna', 'bruno', 'chiara', 'dario', 'elena', 'fabio', 'giulia', 'ivan', 'laura', 'marco'];
const last = ['rossi', 'bianchi', 'verdi', 'russo', 'ferrari', 'costa', 'gallo', 'conti', 'greco', 'riva'];

/** One person after another, no two alike. */
function user(n, more = {}) {
  const Username = `${first[n % 10]}.${last[Math.floor(n / 10) % 10]}${Math.floor(n / 100) || ''}`;
  const Password = `una frase lunga ${n}`;
  return { Username, Email: `${Username}@example.com`, Password, ConfirmPassword: Password, ...more };
}

function users(from, count) {
  return Array.from({ length: count }, (_, n) => user(from + n));
}

/** What a service has seen after a month; only today can be made by calls. */
async function addHistory(database) {
  await database.query(
    `insert into anagrafe.activity as known
       (start, calls, jobs, records_failed, principals_inserted, users_registered, passwords_reset)
     select date_trunc('hour', now(), 'UTC') - ago * interval '1 hour',
            (load * 34)::integer, (load * 3)::integer, (load * load * 4)::integer, (load * 30)::integer,
            (load * 310)::integer, (load * 120)::integer
       from generate_series(1, 30 * 24 - 1) as ago,
            lateral (select greatest(0, sin((extract(hour from now()) - ago) * pi() / 12 - 1.9))
                            * (0.7 + 0.6 * abs(sin(ago * 0.37)))
                            * (case when ago / 24 % 7 in (1, 2) then 0.25 else 1 end) as load)
     on conflict (start) do nothing`,
  );
  await database.query(
    `insert into anagrafe.tallies (kind, block, slot, amount)
     values ('users', 999999, 0, 212840), ('principals', 999999, 0, 18375)`,
  );
}

/** The keys to sign in with. */
async function seed(url, database) {
  const open = new Anagrafe({ url });
  const keys = await open.admin.clients.create({
    Name: 'office',
    Scopes: ['admin', 'sync:write', 'sync:read'],
  });
  const office = new Anagrafe({ url, publicKey: keys.PublicKey, secretKey: keys.SecretKey });
  const { clients } = office.admin;
  await clients.create({ Name: 'erp', Networks: ['10.20.0.0/16'] });
  await clients.create({ Name: 'crm import', Scopes: ['sync:write'] });
  await clients.create({ Name: 'reporting', Scopes: ['sync:read'], Networks: ['192.0.2.17'] });
  const { PublicKey } = await clients.create({
    Name: 'badge reader',
    Scopes: ['sync:read'],
    Networks: ['10.9.0.0/24'],
    KnownByAddress: true,
  });
  await clients.revoke((await clients.create({ Name: 'old portal' })).PublicKey);
  await clients.rotate(PublicKey, { Hours: 48 });

  const { tuples } = await office.insert(
    firms.map((Denomination, n) => ({
      Denomination,
      ExternalKey: `C-${1000 + n}`,
      Vatnumber: `IT0${n + 1}234567890`,
      Users: users(n * 6, 6),
    })),
  );
  const [one = 0, two = 0] = tuples.map(({ Item1 }) => Item1);
  await addHistory(database);
  await office.update([
    { ID: one, Users: [user(100), user(1)] },
    { ID: two, Users: [user(101, { Password: 'breve', ConfirmPassword: 'breve' })] },
    { ID: 4711, Users: [user(102)] },
    { ID: two, Users: [user(103, { Email: 'marta.example.com' })] },
    { ID: one, Users: [{ ID: 99_999, Password: 'una frase nuova', ConfirmPassword: 'una frase nuova' }] },
  ]);
  // Long enough to be seen under way.
  await office.jobs.submit(
    'insert',
    Array.from({ length: 600 }, (_, n) => ({
      Denomination: `Cliente ${n + 1}`,
      Users: users(1000 + n * 10, 10),
    })),
  );
  return keys;
}

/** A file with a few mistakes in it, as it is shown once its rows were checked. */
async function checkSample(page) {
  const lines = readFileSync(new URL('../docs/samples/users.csv', import.meta.url), 'utf8').split(/\r?\n/);
  const mistaken = [
    'C067;Ferramenta Trento Srl;anna.rossi;anna.rossi@example.com;quercia ponte campana',
    'C027;Vini Ferrara Srl;paolo.serra;paolo.serra;sedia tavolo specchio',
    'C027;Vini Ferrara Srl;rita.longo;rita.longo@example.com;breve',
  ];
  const buffer = Buffer.from([...lines.slice(0, 40), ...mistaken, ...lines.slice(40)].join('\n'));
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (await choosing).setFiles({ name: 'users.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Check the rows' }).click();
  const rows = page.getByRole('region', { name: 'Rows', exact: true });
  await rows.getByText(/^Rows with problems/).waitFor();
  await rows.scrollIntoViewIfNeeded();
}

const shots = [
  [
    'overview',
    '',
    (page) => page.locator('.recharts-bar-rectangle').filter({ visible: true }).first().waitFor(),
  ],
  ['principals', '/principals', (page) => page.getByRole('link', { name: 'Rossi Srl' }).waitFor()],
  [
    'principal',
    '/principals/1',
    (page) => page.getByRole('table', { name: 'History' }).getByRole('row').nth(2).waitFor(),
  ],
  ['import', '/import', checkSample],
  ['clients', '/clients', (page) => page.getByRole('row', { name: /erp/ }).waitFor()],
];

async function shoot(browser, url, keys, colorScheme) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const save = (name) => page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  await page.goto(`${url}/console`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await save('sign-in');
  await page.getByLabel('Public key').fill(`${keys.PublicKey}.${keys.SecretKey}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
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
mkdirSync(folder, { recursive: true });
const config = readConfig({ ANAGRAFE_PORT: '0', ANAGRAFE_DATA: data });
const service = await startService(config, openLog('fatal'), builtConsole());
const store = await openStore(config, { as: 'visitor', log: () => {} });
const browser = await chromium.launch({ executablePath: findChromium() ?? undefined });
try {
  const keys = await seed(service.url, store.database);
  for (const colorScheme of ['light', 'dark']) await shoot(browser, service.url, keys, colorScheme);
} finally {
  await browser.close();
  await store.close();
  await service.stop();
  rmSync(data, { recursive: true, force: true });
}
