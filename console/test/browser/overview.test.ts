import { credential } from '@anagrafe/testing/admin';
import { finished, holding, importedUser, principalLock, submit } from '@anagrafe/testing/jobs';
import { newUser } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { desktop, enter, phone, startConsole, useConsole, visit } from './browser.ts';
import { fill } from './filled.ts';

const client = { scopes: ['admin', 'sync:write'] } as const;
/** A service for the tests that submit jobs. */
const { service, office } = await useConsole({}, client);
/** A service with 4 users, 2 principals and 12 failed records; the tests only read from it. */
const filled = await startConsole();
const filledOffice = await credential(filled, client);
const unknown = Array.from({ length: 9 }, (_, n) => ({ ID: 900_000 + n, Users: [newUser(`unknown.${n}`)] }));
await filled.call('irs/update', unknown, { headers: filledOffice });
await fill(filled, filledOffice);
const invalid = newUser('invalid', { Password: 'short', ConfirmPassword: 'short' });
/** The ID of the job in which the last of these records failed. */
const failedJob = await submit(filled, 'irs/insert', [{ Name: 'Invalid', Users: [invalid] }], filledOffice);
await finished(filled, failedJob, filledOffice);

/** Returns a time zone in which it is noon, so that what the tests have done is of today, even at midnight UTC. */
function zoneAtNoon(): string {
  const offset = 12 - new Date().getUTCHours();
  // The sign is the opposite of the usual one: `Etc/GMT-2` is two hours ahead of UTC.
  return offset > 0 ? `Etc/GMT-${offset}` : `Etc/GMT+${-offset}`;
}

describe('the overview', () => {
  it('shows the next steps on an empty service', async () => {
    const empty = await startConsole();
    const person = await visit(empty);
    const { page } = person;
    await enter(person, '', await credential(empty, client));
    await page.getByRole('heading', { name: 'Next steps' }).waitFor();
    await page.getByText('No current jobs').waitFor();
    await page.getByText('No errors').waitFor();
    await page.getByText('The service listens on 127.0.0.1').waitFor();
    await expect.poll(() => page.getByText(`curl ${empty.url}/api/sync/v1/irs/insert`).count()).toBe(1);
    await page.getByRole('link', { name: 'Or import users from a file' }).click();
    await page.getByRole('heading', { name: 'Import', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('main').getByRole('link', { name: 'API clients' }).click();
    const heading = page.getByRole('heading', { name: 'API clients', level: 1 });
    await heading.waitFor();
    await expect.poll(() => page.locator(':focus').and(heading).count()).toBe(1);
  });

  it('shows totals, daily activity and failed records on a service in use', async () => {
    const person = await visit(filled, { timezoneId: zoneAtNoon() });
    const { page } = person;
    await enter(person, '', filledOffice);
    const figures = page.getByRole('region', { name: 'Totals' });
    await figures.getByText('+4 today').waitFor();
    await expect.poll(() => figures.innerText()).toMatch(/Users\s+4\s+.*Principals\s+2/s);

    const accounts = page.getByRole('table', { name: 'Users and principals' });
    await expect.poll(() => accounts.innerText()).toMatch(/\t4\t0\t2$/m);
    await page.getByText('Last 30 days').click();
    await expect.poll(() => accounts.innerText()).toMatch(/\t4\t0\t2$/m);
    // The tooltip of a column shows the figures of its day.
    await page.locator('rect[data-figure=UsersRegistered]').hover();
    await page
      .getByText(/^\d+ \w+Users registered\s*4\s*Passwords reset\s*0\s*Principals created\s*2$/)
      .waitFor();

    await page.setViewportSize(phone);
    await page.locator('rect[data-figure=RecordsFailed]').hover();
    await page.getByText(/Failed records\s*12$/).waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.setViewportSize(desktop);

    const failures = page.getByRole('table', { name: 'Latest failed records' });
    await failures.getByText(/USERNAME_TAKEN · User 1, Username/).waitFor();
    await failures
      .getByText(/PASSWORD_TOO_SHORT · User 1, Password/)
      .first()
      .waitFor();
    await page.getByText(/of [\d.,]+ hashes per second/).waitFor();
    await figures.getByText('Active sessions').waitFor();
  });

  it('links a failed record to its call or job and to its principal', async () => {
    const person = await visit(filled);
    const { page } = person;
    await enter(person, '', filledOffice);
    const rows = page.getByRole('table', { name: 'Latest failed records' }).getByRole('row');
    await rows.nth(1).getByRole('link', { name: 'Create principals' }).click();
    await page.getByRole('heading', { name: `Job ${failedJob.slice(0, 8)}`, level: 1 }).waitFor();
    await page
      .getByRole('region', { name: 'Records' })
      .getByText(/User 1, Password/)
      .waitFor();
    await page.goBack();
    const taken = rows.filter({ hasText: 'USERNAME_TAKEN' });
    await expect.poll(() => taken.innerText()).toContain('mario.rossi');
    await taken.getByRole('link', { name: 'Update users' }).click();
    await page.getByRole('heading', { name: /^Call /, level: 1 }).waitFor();
    await page.goBack();
    await taken.getByRole('link', { name: /^\d+$/ }).click();
    await page.getByRole('heading', { name: 'Bianchi SpA', level: 1 }).waitFor();
  });

  it('paginates the failed records and keeps the page in the URL', async () => {
    const person = await visit(filled);
    const { page } = person;
    await enter(person, '', filledOffice);
    const pager = page.getByRole('navigation', { name: /^Pagination/ });
    await pager.getByText('1–8 of 12').waitFor();
    await pager.getByRole('button', { name: 'Next page' }).click();
    await pager.getByText('9–12 of 12').waitFor();
    await page
      .getByText(/PRINCIPAL_NOT_FOUND/)
      .first()
      .waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?page=2');
    // On the last page the button is disabled but stays focusable, so that keyboard users keep the focus.
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Next page');
    await expect.poll(() => page.locator(':focus').getAttribute('aria-disabled')).toBe('true');
    await page.reload();
    await pager.getByText('9–12 of 12').waitFor();
    await page.goBack();
    await pager.getByText('1–8 of 12').waitFor();
  });

  it('shows running jobs before queued ones, and the number of further jobs', async () => {
    const { body } = await service.call('irs/insert', [{ Name: 'Held' }], { headers: office });
    const held = body.result?.records[0]?.Item1 ?? 0;
    const send = (name: string) =>
      submit(service, 'irs/update', [{ ID: held, Users: [importedUser(name)] }], office);
    const person = await visit(service);
    const { page } = person;
    await enter(person, '', office);
    await holding(service, principalLock(held), async ({ blocked }) => {
      const running = await send('first.to.run');
      await blocked(1);
      for (let n = 1; n <= 9; n++) await send(`waiting.${n}`);
      const jobs = page.getByRole('region', { name: 'Current jobs' });
      await jobs.getByRole('link', { name: 'and 5 more' }).waitFor();
      const links = jobs.getByRole('link', { name: 'Update users' });
      await expect.poll(() => links.count()).toBe(5);
      await expect.poll(() => links.first().getAttribute('href')).toBe(`/console/jobs/${running}`);
    });
  });

  it('updates the progress of a running job', async () => {
    const names = [{ Name: 'First' }, { Name: 'Second' }, { Name: 'Third' }];
    const { body } = await service.call('irs/insert', names, { headers: office });
    const ids = (body.result?.records ?? []).map(({ Item1 }) => Item1 ?? 0);
    const records = ids.map((ID) => ({
      ID,
      Users: Array.from({ length: 20 }, (_, n) => importedUser(`followed.${ID}.${n}`)),
    }));
    const [, second = 0, third = 0] = ids;
    const person = await visit(service);
    const { page } = person;
    await enter(person, '', office);
    await page.getByText('No current jobs').waitFor();
    const bar = (done: number) =>
      page.getByRole('progressbar', { name: `Update users: ${done} of 60 users`, exact: true });
    await holding(service, principalLock(third), async () => {
      await holding(service, principalLock(second), async () => {
        await submit(service, 'irs/update', records, office);
        await bar(20).waitFor({ state: 'attached' });
      });
      await bar(40).waitFor({ state: 'attached' });
      expect(Number(await bar(40).getAttribute('aria-valuenow'))).toBeCloseTo(200 / 3);
    });
    await page.getByText('No current jobs').waitFor();
  });
});
