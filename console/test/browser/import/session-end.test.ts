import { credential } from '@anagrafe/testing/admin';
import { storedUsernames } from '@anagrafe/testing/importing';
import { holding, principalsLock } from '@anagrafe/testing/jobs';
import { newUser } from '@anagrafe/testing/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { enter, signIn, useConsole, type Visit, visit } from '../browser.ts';
import { ended, endSessions, expectSignInAlone } from '../session/ended.ts';
import { choose, correct, press, said } from './importing.ts';

const { service, office } = await useConsole();
const other = await credential(service, { name: 'other' });
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
  person.expectStatus(401);
  person.expectStatus(422);
});

describe('an import whose session ends', () => {
  const content =
    'Username,Password,Company\ncorrected.1,breve,Corrected Srl\ncorrected.2,una frase lunga,Corrected Srl\n';

  it('keeps its corrected rows, and sends them after the same client has signed in', async () => {
    const { page } = person;
    await enter(person, '/import', office);
    await choose(page, 'corrected.csv', content);
    await press(page, 'Check rows');
    await said(page, '1 of 2 rows with errors.');
    await correct(page, 'Password, line 2', 'una frase abbastanza lunga');
    await endSessions(service);
    await press(page, 'Check again');
    await ended(page);
    await expectSignInAlone(page);
    await signIn(page, office);
    await expect
      .poll(() => page.getByLabel('Password, line 2').inputValue())
      .toBe('una frase abbastanza lunga');
    await press(page, 'Check again');
    await page.getByText('no errors.').waitFor();

    await endSessions(service);
    await press(page, 'Import 2 rows');
    await ended(page);
    expect(await storedUsernames(service)).not.toContain('corrected.1');
    await signIn(page, office);
    await page.getByText('Applied: 2.').waitFor();
    expect(await storedUsernames(service)).toEqual(expect.arrayContaining(['corrected.1', 'corrected.2']));
  });

  it('shows its result after the same client has signed in', async () => {
    const { page } = person;
    await enter(person, '/import', office);
    const rows = Array.from({ length: 120 }, (_, n) => `followed.${n},una frase lunga,Followed ${n}`);
    await choose(page, 'followed.csv', ['Username,Password,Company', ...rows].join('\n'));
    await press(page, 'Check rows');
    await page.getByText('no errors.').waitFor();
    // The lock keeps the job running until the session has ended.
    await holding(service, principalsLock, async () => {
      await press(page, 'Import 120 rows');
      await page.getByText('Import running').waitFor();
      await endSessions(service);
      await ended(page);
    });
    await signIn(page, office);
    await page.getByText('Applied: 120.').waitFor();
  });

  it('sends nothing after another client has signed in', async () => {
    const { page } = person;
    await service.call('irs/insert', [{ ExternalKey: 'THEIRS', Denomination: 'Theirs' }], {
      headers: office,
    });
    await enter(person, '/import', office);
    await choose(page, 'theirs.csv', 'Username,Password,ExternalKey\ntheirs.1,una frase lunga,THEIRS\n');
    await press(page, 'Check rows');
    await page.getByText('no errors.').waitFor();
    await endSessions(service);
    await press(page, 'Import 1 row');
    await ended(page);
    await signIn(page, other);
    await page.getByRole('button', { name: 'Choose file' }).waitFor();
    const users = [newUser('theirs.2')];
    await service.call('irs/update', [{ ExternalKey: 'THEIRS', Users: users }], { headers: office });
    expect(await storedUsernames(service)).not.toContain('theirs.1');
  });
});
