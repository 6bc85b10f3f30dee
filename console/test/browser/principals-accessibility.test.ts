import { describe, it } from 'vitest';
import { expectAccessible, expectColoursAccessible, expectPartAccessible } from './accessibility.ts';
import { enter, useConsole, visit } from './browser.ts';
import { fill } from './filled.ts';
import { chooseForPrincipal, chooseForUser } from './principals.ts';

const { service, office } = await useConsole();
await fill(service, office);

describe('the principals pages', () => {
  it('are accessible with all of their dialogs, in light and dark, on a desktop and on a phone', async () => {
    const person = await visit(service);
    const { page, expectStatus } = person;
    expectStatus(422);
    async function checkAndClose() {
      await page.getByRole('dialog').waitFor();
      await expectPartAccessible(page, 'dialog');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    await enter(person, '/principals', office);
    await page.getByRole('link', { name: 'Bianchi SpA' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New principal' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page
      .getByRole('dialog')
      .getByText(/at least one of/)
      .waitFor();
    await checkAndClose();

    await page.getByRole('link', { name: 'Rossi Srl' }).click();
    await page.getByRole('button', { name: 'Actions for mario.rossi' }).waitFor();
    await page
      .getByText(/Registered: mario\.rossi/)
      .first()
      .waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    await expectPartAccessible(page, 'menu');
    await page.keyboard.press('Escape');
    for (const action of ['Disable', 'Delete']) {
      await chooseForPrincipal(page, action);
      await checkAndClose();
    }
    await page.getByRole('button', { name: 'Edit' }).click();
    await checkAndClose();

    await page.getByRole('button', { name: 'Register user' }).click();
    const dialog = page.getByRole('dialog', { name: 'New user' });
    await dialog.getByLabel('Username').fill('mario.rossi');
    await dialog.getByText(/already|belongs to a user/).waitFor();
    for (const [password, strength] of [
      ['short', 'Weak'],
      ['frase lunga', 'Fair'],
      ['una frase lunga', 'Good'],
    ] as const) {
      await dialog.getByLabel('Password', { exact: true }).fill(password);
      await dialog.getByText(strength, { exact: true }).waitFor();
      await expectColoursAccessible(page);
    }
    await dialog.getByLabel('Password', { exact: true }).fill('una frase lunga davvero 4711');
    await dialog.getByText('Strong', { exact: true }).waitFor();
    await checkAndClose();

    await page.getByRole('button', { name: 'Actions for mario.rossi' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).waitFor();
    await expectPartAccessible(page, 'menu');
    await page.keyboard.press('Escape');
    for (const action of ['Disable', 'Delete']) {
      await chooseForUser(page, 'mario.rossi', action);
      await checkAndClose();
    }
    const edit = await chooseForUser(page, 'mario.rossi', 'Edit');
    await edit.getByRole('button', { name: 'Add attribute' }).click();
    await checkAndClose();

    await page.getByRole('button', { name: 'Actions for mario.rossi' }).click();
    await page.getByRole('menuitem', { name: 'Reset password' }).click();
    await page.getByRole('dialog').waitFor();
    await expectPartAccessible(page, 'dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset password' }).click();
    const done = page.getByRole('button', { name: 'Done' });
    await done.waitFor();
    await expectPartAccessible(page, 'dialog');
    await done.click();
  });
});
