import { invitationSheets } from '@anagrafe/importer';
import { describe, expect, it } from 'vitest';
import { english } from '../account/i18n/en.ts';
import { italian } from '../account/i18n/it.ts';

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

describe('the texts of the account pages', () => {
  it('are complete in both languages, with the same values', () => {
    expect(Object.keys(italian)).toEqual(Object.keys(english));
    for (const key of Object.keys(english) as (keyof typeof english)[]) {
      expect(italian[key].trim()).not.toBe('');
      expect([key, namesIn(italian[key])]).toEqual([key, namesIn(english[key])]);
    }
  });

  it.each([
    ['en', english],
    ['it', italian],
  ] as const)('have the name of the link that a printed sheet in %s mentions', (language, { haveCode }) => {
    const invitation = {
      Denomination: null,
      Username: 'mario.rossi',
      FirstName: null,
      LastName: null,
      Language: language,
      Code: '7M4K-9QWX-T2PA-HJ63-VYDC-0RN8-G4EF',
      URL: null,
      ExpiresAt: null,
    };
    const sheet = [...invitationSheets([invitation], { brand: 'Acme', colour: '#0b7285', language })].join(
      '',
    );
    expect(sheet).toContain(`“${haveCode}”`);
  });
});
