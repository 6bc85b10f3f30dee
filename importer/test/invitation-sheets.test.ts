import { invitationSheets, type SheetInvitation, type SheetOptions } from '@anagrafe/importer';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';

const code = '7M4K-9QWX-T2PA-HJ63-VYDC-0RN8-G4EF';
const url = `https://anagrafe.example.com/account/set-password#${code}`;
const mario: SheetInvitation = {
  Denomination: 'Rossi & Figli Srl',
  Username: 'mario.rossi',
  FirstName: 'Mario',
  LastName: 'Rossi',
  Language: 'it',
  Code: code,
  URL: url,
  ExpiresAt: '2026-11-26T10:49:00.000Z',
};
const options: SheetOptions = { brand: 'Acme', colour: '#0b7285', language: 'en', timeZone: 'Europe/Rome' };

const documentOf = (invitations: readonly Partial<SheetInvitation>[], others: Partial<SheetOptions> = {}) =>
  [
    ...invitationSheets(
      invitations.map((fields) => ({ ...mario, ...fields })),
      { ...options, ...others },
    ),
  ].join('');
const sheetsIn = (html: string) => html.split('<section').length - 1;
const languagesIn = (html: string) => [...html.matchAll(/class="sheet" lang="(..)"/g)].map(([, own]) => own);

describe('the printed sheets of invitations', () => {
  it('have the name, company, username, code, address and expiry of the user', () => {
    const html = documentOf([{}]);
    for (const text of ['Acme', 'Mario Rossi', 'Rossi &#38; Figli Srl', '>mario.rossi<', `>${code}<`])
      expect(html).toContain(text);
    const [, address = ''] = /class="address">(.*?)<\/li>/.exec(html) ?? [];
    expect(address).toContain('<span>anagrafe.example.com/</span><span>account/</span>');
    expect(address.replaceAll(/<\/?span>/g, '')).toBe('https://anagrafe.example.com/account/set-password');
    expect(html).toContain('26 novembre 2026 alle ore 11:49');
  });

  it('are in the language of each user, else in the given one', () => {
    const languages = ['it', 'it-CH', 'EN_us', 'de', null];
    const html = documentOf(languages.map((Language) => ({ Language })));
    expect(languagesIn(html)).toEqual(['it', 'it', 'en', 'en', 'en']);
    expect(languagesIn(documentOf([{ Language: null }], { language: 'it' }))).toEqual(['it']);
    expect(documentOf([{ Language: 'en' }])).toContain('26 November 2026 at 11:49');
  });

  it('escape every value', () => {
    const value = `</dd><script>alert("1")</script><p title='&lt;`;
    const fields = { Denomination: value, Username: value, FirstName: value, LastName: value, Code: value };
    const html = documentOf(
      [{ ...fields, URL: `https://a.example/"><img src=x onerror=alert(1)>#${code}` }],
      {
        brand: value,
        colour: 'red} body { background: url(https://evil.example) ',
      },
    );
    expect(html).not.toMatch(/<script|<img|evil|title='/);
    expect(html).toContain('&#60;script&#62;alert(&#34;1&#34;)');
    expect(html).toContain('&#38;lt;');
  });

  it('leave out users without a code', () => {
    const html = documentOf([{ Code: null, URL: null }, {}]);
    expect(sheetsIn(html)).toBe(1);
  });

  it('have neither a QR code nor an address if the service does not know its public URL', () => {
    const html = documentOf([{ URL: null, FirstName: null, LastName: null, Denomination: null }]);
    expect(html).not.toMatch(/<svg|class="address"|<dt>(Nome|Azienda)</);
    expect(html).toContain('Apri la pagina di accesso');
    expect(html).toContain(code);
  });

  it('have a QR code whose dark modules are those of the link', () => {
    const [, path = ''] = /<path d="([^"]+)"/.exec(documentOf([{}])) ?? [];
    const { data, size } = encode(url, { ecc: 'M', border: 4 });
    const drawn = data.map((row) => row.map(() => false));
    for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
      drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
    expect(drawn).toEqual(data);
    expect(documentOf([{}])).toContain(`viewBox="0 0 ${size} ${size}"`);
  });

  it('load nothing and run no script', () => {
    const html = documentOf([{}]);
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(html).not.toMatch(/ (src|href)=|@import|url\(/);
  });
});
