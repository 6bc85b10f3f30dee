import { readFileSync } from 'node:fs';

/** The name and path of each page, and the element that must be visible before the screenshot. */
export function shotsOf({ webhook, refused, call, longJob, job, run }) {
  return [
    ['overview', '', (page) => page.locator('rect[data-figure]').filter({ visible: true }).first().waitFor()],
    ['principals', '/principals', (page) => page.getByRole('link', { name: 'Rossi Srl' }).waitFor()],
    ['principal', '/principals/1', (page) => rowOf(page, 'History', 2)],
    ['users', '/users', (page) => rowOf(page, 'Users', 2)],
    ['user', '/users', editUser],
    ['user-page', '/users/1', (page) => rowOf(page, 'History', 1)],
    ['import', '/import', (page) => checkSample(page)],
    ['import-plan', '/import', planChanges],
    ['sync', '/sync', compareFile],
    ['runs', '/runs', (page) => rowOf(page, 'Import history', 1)],
    ['run', `/runs/${run}`, planUndo],
    ['calls', '/calls', (page) => rowOf(page, 'Calls', 1)],
    ['call', `/calls/${call}`, (page) => page.getByText('PRINCIPAL_NOT_FOUND').waitFor()],
    ['jobs', '/jobs', (page) => rowOf(page, 'Jobs', 2)],
    ['job', `/jobs/${longJob}`, (page) => page.getByRole('progressbar').waitFor()],
    ['job-ended', `/jobs/${job}?failed=true`, (page) => page.getByText('USERNAME_TAKEN').waitFor()],
    ['mails', '/mails', (page) => page.getByText('Mailbox does not exist').first().waitFor()],
    ['events', '/events', (page) => rowOf(page, 'Events', 1)],
    ['webhooks', '/webhooks', (page) => rowOf(page, 'Webhooks', 1)],
    ['webhook', `/webhooks/${webhook}`, (page) => rowOf(page, 'Deliveries', 1)],
    [
      'delivery',
      `/webhooks/${webhook}?open=${refused}`,
      (page) => page.getByRole('dialog').getByText('the ERP is being restarted').waitFor(),
    ],
    ['clients', '/clients', (page) => page.getByRole('row', { name: /erp/ }).waitFor()],
    ['audit', '/audit', verify],
  ];
}

/** The pages of docs/guida-help-desk.md, in an Italian browser. */
export const italianShots = [
  [
    'it-users',
    '/users',
    async (page) => {
      await page.getByRole('searchbox', { name: 'Cerca utenti' }).fill('rossi');
      await page.getByText('anna.rossi').first().waitFor();
    },
  ],
  ['it-user-page', '/users/1', (page) => rowOf(page, 'Cronologia', 1)],
  [
    'it-invite',
    '/users',
    async (page) => {
      await page.getByRole('button', { name: 'Azioni per anna.rossi', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Invita a impostare una nuova password' }).click();
      await page.getByRole('dialog').getByText('Consegna un codice').click();
    },
  ],
  [
    'it-import',
    '/import',
    (page) =>
      checkSample(page, {
        choose: 'Scegli un file',
        check: 'Controlla le righe',
        rows: 'Righe',
        errors: /Righe con errori/,
      }),
  ],
];

function rowOf(page, table, nth) {
  return page.getByRole('table', { name: table }).getByRole('row').nth(nth).waitFor();
}

async function editUser(page) {
  await page.getByRole('button', { name: 'Actions for anna.rossi', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Username').waitFor();
}

async function chooseFile(page, text, button = 'Choose file') {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).click();
  await (await choosing).setFiles({ name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
}

/** Chooses a file that changes a company and a user and registers another one, and shows the changes. */
async function planChanges(page) {
  const lines = [
    'ExternalKey,Denomination,Username,Email,Password',
    'C-1000,Rossi Servizi Srl,anna.rossi,anna@rossi.example.com,',
    'C-1000,Rossi Servizi Srl,bruno.rossi,bruno.rossi@example.com,',
    'C-1000,Rossi Servizi Srl,paola.serra,paola@rossi.example.com,quercia ponte campana',
  ];
  await chooseFile(page, lines.join('\n'));
  await page.getByRole('radio', { name: 'Create and update' }).click();
  await page.getByRole('button', { name: 'Check rows' }).click();
  const changes = page.getByRole('table', { name: 'Changes that the import would make' });
  await changes.getByText('paola.serra').waitFor();
  await changes.scrollIntoViewIfNeeded();
}

/** Chooses a file that changes a company and some of its users, and shows the changes. */
async function compareFile(page) {
  const lines = [
    'ExternalKey,Denomination,Username,Email,Password',
    'C-1000,Rossi Servizi Srl,anna.rossi,anna@rossi.example.com,',
    'C-1000,Rossi Servizi Srl,paola.serra,paola@rossi.example.com,quercia ponte campana',
    'C-2000,Nuova Srl,nina.nuova,senza indirizzo,quercia ponte campana',
  ];
  await chooseFile(page, lines.join('\n'));
  await page.getByLabel('Users that the file does not have').selectOption('Disable');
  await page.getByRole('button', { name: 'Compare' }).click();
  const changes = page.getByRole('table', { name: 'Changes that the synchronisation would make' });
  await changes.getByText('paola.serra').waitFor();
  await page.getByRole('region', { name: 'Changes', exact: true }).scrollIntoViewIfNeeded();
}

async function planUndo(page) {
  await page.getByRole('button', { name: 'Show what an undo would do' }).click();
  await rowOf(page, 'Changes that the undo would make', 2);
}

const english = { choose: 'Choose file', check: 'Check rows', rows: 'Rows', errors: /rows with errors/ };

/** Chooses a file with three faulty rows, and checks it. */
async function checkSample(page, { choose, check, rows: title, errors } = english) {
  const lines = readFileSync(new URL('../../docs/samples/users.csv', import.meta.url), 'utf8').split(/\r?\n/);
  const mistaken = [
    'C067;Ferramenta Trento Srl;anna.rossi;anna.rossi@example.com;quercia ponte campana',
    'C027;Vini Ferrara Srl;paolo.serra;paolo.serra;sedia tavolo specchio',
    'C027;Vini Ferrara Srl;rita.longo;rita.longo@example.com;breve',
  ];
  await chooseFile(page, [...lines.slice(0, 40), ...mistaken, ...lines.slice(40)].join('\n'), choose);
  await page.getByRole('button', { name: check }).click();
  const rows = page.getByRole('region', { name: title, exact: true });
  await rows.getByText(errors).waitFor();
  await rows.scrollIntoViewIfNeeded();
}

async function verify(page) {
  await page.getByRole('button', { name: 'Verify audit log' }).click();
  await page.getByText('Verified').waitFor();
}
