import { describe, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { enter, useConsole, visit } from './browser.ts';
import { fill, fillAuditLog } from './filled.ts';

const { service, office } = await useConsole();
await fill(service, office);
await fillAuditLog(service, 200);

describe('in light and dark, on a desktop and on a phone', () => {
  it('the audit log of one principal, the result of a verification and the details of a row are accessible', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit?principal=2', office);
    await page.getByText('Principal created.').first().waitFor();
    await page.getByRole('button', { name: 'Verify audit log' }).click();
    await page.getByText('Verified').waitFor();
    await page.getByText('Details').first().click();
    await page.getByText('Hash', { exact: true }).first().waitFor();
    await expectAccessible(page);
  });

  it('the events page and its search by type are accessible', async () => {
    const person = await visit(service);
    const { page, goTo } = person;
    await enter(person, '/events', office);
    await page.getByRole('button', { name: 'Show older' }).waitFor();
    await expectAccessible(page);
    await goTo('/events?type=user.state_changed');
    await page.getByText(/^Searched/).waitFor();
    await expectAccessible(page);
  });
});
