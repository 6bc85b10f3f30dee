import { newUser } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { enter, useConsole, visit } from './browser.ts';
import { downloaded } from './import/importing.ts';
import { chooseForPrincipal, insert } from './principals.ts';

const { service, office } = await useConsole();
const [first] = await insert(service, office, [
  {
    Denomination: 'Rossi Srl',
    ExternalKey: 'C-1',
    Users: [newUser('mario', { Email: 'mario@example.com', Phone: '+39 1' })],
  },
  { Denomination: 'Bianchi SpA', ExternalKey: 'C-2' },
]);

describe('the export in the console', () => {
  it('saves all principals with their users as NDJSON, as CSV and as CSV for spreadsheets', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/principals', office);
    const choose = (name: string) => async () => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const ndjson = await downloaded(page, choose('Export as NDJSON'));
    expect(ndjson.name).toBe('principals.ndjson');
    const lines = ndjson.bytes
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { Denomination: 'Rossi Srl', Users: [{ Username: 'mario', Email: 'mario@example.com' }] },
      { Denomination: 'Bianchi SpA', Users: [] },
    ]);
    await page.getByText('principals.ndjson saved.').waitFor();
    const csv = await downloaded(page, choose('Export as CSV'));
    expect(csv.name).toBe('principals.csv');
    expect(csv.bytes.toString('utf8')).toMatch(/mario@example\.com,\+39 1[\s\S]*Bianchi SpA/);
    const spreadsheet = await downloaded(page, choose('Export for spreadsheets (CSV)'));
    expect(spreadsheet.name).toBe('principals-spreadsheet.csv');
    expect(spreadsheet.bytes.toString('utf8')).toContain("mario@example.com,'+39 1");
  });

  it('saves one principal from its page', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, `/principals/${first}`, office);
    await page.getByRole('heading', { name: 'Rossi Srl', level: 1 }).waitFor();
    const file = await downloaded(page, async () => {
      await chooseForPrincipal(page, 'Export as NDJSON');
    });
    expect(file.name).toBe(`principal-${first}.ndjson`);
    expect(file.bytes.toString('utf8').trim().split('\n')).toHaveLength(1);
  });

  it('shows an error that can be retried', async () => {
    const person = await visit(service);
    const { page, expectStatus } = person;
    expectStatus(403);
    await enter(person, '/principals', office);
    await page.route('**/irs/export*', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/json',
        body: JSON.stringify({
          statusCode: 403,
          errorCode: 'FORBIDDEN',
          message: 'This client may not export.',
          result: null,
          debug: null,
        }),
      }),
    );
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Export failed' });
    await alert.getByText('This client may not export.').waitFor();
    await page.unroute('**/irs/export*');
    const { name } = await downloaded(page, () => alert.getByRole('button', { name: 'Retry' }).click());
    expect(name).toBe('principals.csv');
    await alert.waitFor({ state: 'hidden' });
  });
});
