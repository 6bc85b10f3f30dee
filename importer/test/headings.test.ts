import { errorsOf, readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { headingsOf } from '../src/file/headings.ts';
import { importFields } from '../src/index.ts';

async function fieldOf(heading: string, others = 'Username'): Promise<string | null | undefined> {
  const { file } = await readFile(`${heading};${others}\n`, { withoutPasswords: true, preview: true });
  return file?.columns[0]?.field;
}

/** Headings as Italian and English programs export them, with the field that they mean. */
const exported = {
  ExternalKey: [
    ...[
      'Cod. Cliente',
      'Codice',
      'COD_CLIENTE',
      'CodCli',
      'Codice Cliente',
      'Cod.Cli.',
      'ID Cliente',
      'N. cliente',
    ],
    ...[
      'Numero cliente',
      'Codice anagrafica',
      'Cod. anagrafica',
      'Codice ditta',
      'Codice azienda',
      'Codice conto',
    ],
    ...[
      'Codice Cliente/Fornitore',
      'Codice gestionale',
      'Customer no.',
      'Customer ID',
      'CustomerNumber',
      'Account no.',
    ],
    ...[
      'Client ID',
      'Company code',
      'External ID',
      'CardCode',
      'KUNNR',
      'Debtor No.',
      'Code',
      'Customer code',
    ],
  ],
  Denomination: [
    ...[
      'Ragione soc.',
      'Ragione sociale',
      'RAG. SOC.',
      'Rag. Sociale',
      'RagSoc',
      'Ragione Sociale 1',
      'Denominazione',
    ],
    ...[
      'Ditta',
      'Società',
      'Azienda',
      'Nome azienda',
      'Nome cliente',
      'Cliente',
      'Intestazione',
      'Descrizione cliente',
    ],
    ...[
      'Company',
      'Company name',
      'Customer name',
      'Account name',
      'Business name',
      'Legal name',
      'Organisation',
    ],
    'CardName',
  ],
  Vatnumber: [
    ...[
      'P. IVA',
      'P.IVA',
      'PIVA',
      'P.I.',
      'Partita IVA',
      'Partita I.V.A.',
      'PARTITA_IVA',
      'Part. IVA',
      'P. IVA cliente',
    ],
    ...[
      'Numero partita IVA',
      'VAT',
      'VAT number',
      'VAT no.',
      'VAT ID',
      'VAT registration number',
      'USt-IdNr.',
    ],
  ],
  Taxcode: [
    ...[
      'Cod. Fiscale',
      'C.F.',
      'CF',
      'Codice fiscale',
      'CODICE_FISCALE',
      'Cod. fisc.',
      'CodFiscale',
      'Tax code',
    ],
    ...['Fiscal code', 'Tax number', 'C. fiscale'],
  ],
  PrincipalEmail: [
    'Email azienda',
    'E-mail azienda',
    'Mail azienda',
    'Email cliente',
    'Company email',
    'Customer e-mail',
  ],
  PrincipalState: [
    'Stato cliente',
    'Stato anagrafica',
    'Cliente attivo',
    'Customer status',
    'Company active',
  ],
  Username: [
    ...[
      'Nome utente',
      'Utente',
      'Login',
      'User',
      'User name',
      'USERNAME',
      'Codice utente',
      'Utenza',
      'Nome login',
    ],
    ...['Logon name', 'Web user', 'UPN'],
  ],
  Email: [
    ...['Mail', 'E-mail', 'Email', 'E-Mail address', 'Indirizzo e-mail', 'Indirizzo email', 'Indirizzo mail'],
    ...[
      'Posta elettronica',
      'Indirizzo di posta elettronica',
      'Email utente',
      'Email referente',
      'Contact e-mail',
      'Email 1',
    ],
  ],
  Phone: [
    ...[
      'Tel.',
      'TEL',
      'Telefono',
      'Telefono 1',
      'Numero di telefono',
      'N. telefono',
      'Cellulare',
      'Cell.',
      'Tel. cell.',
    ],
    ...['Phone', 'Phone no.', 'Phone number', 'Telephone', 'Mobile', 'Mobile phone', 'Recapito telefonico'],
  ],
  FirstName: ['Nome referente', 'First name', 'Given name', 'Nome di battesimo', 'Nome contatto', 'Forename'],
  LastName: ['Cognome referente', 'Last name', 'Family name', 'Cognome contatto', 'Cognome utente'],
  Language: ['Lingua', 'Cod. lingua', 'Language', 'Language code', 'Locale', 'Codice lingua'],
  State: [
    ...[
      'Stato',
      'STATO',
      'Status',
      'Attivo',
      'Attivo S/N',
      'Attivo (sì/no)',
      'Abilitato',
      'Utente attivo',
      'Active',
    ],
    ...['Is active', 'Enabled', 'Stato utente', 'User status'],
  ],
  Password: ['Password', 'Pwd', 'Psw', 'Parola chiave', 'Password iniziale', 'Initial password'],
  ConfirmPassword: ['Conferma password', 'Ripeti password', 'Confirm password', 'Repeat password'],
  PasswordHash: ['Hash', 'Password hash', 'Hash password'],
};

describe('a heading of an export', () => {
  const all = Object.entries(exported).flatMap(([field, names]) =>
    names.map((name) => [name, field] as const),
  );

  it('is recognised, in more than 150 variants', async () => {
    expect(new Set(all.map(([name]) => name)).size).toBeGreaterThan(150);
    for (const [name, field] of all)
      expect([name, await fieldOf(name, field === 'Username' ? 'Email' : 'Username')]).toEqual([name, field]);
  });

  it('means one field alone', async () => {
    for (const field of importFields)
      for (const name of headingsOf(field))
        expect([name, await fieldOf(name, field === 'Username' ? 'Email' : 'Username')]).toEqual([
          name,
          field,
        ]);
  });

  it('that is general is not used beside a better one', async () => {
    const { file } = await readFile('Codice;Cod. Cliente;Cliente;Ragione soc.;Utente;Password\n');
    expect(file?.columns.map(({ field }) => field)).toEqual([
      null,
      'ExternalKey',
      null,
      'Denomination',
      'Username',
      'Password',
    ]);
    expect(file?.unknown).toEqual(['Codice', 'Cliente']);
  });
});

describe('the state of a row', () => {
  it.each([
    ['Stato', 'Attivo', 'active'],
    ['Stato', 'ATTIVA', 'active'],
    ['Stato', 'A', 'active'],
    ['Stato', 'D', 'disabled'],
    ['Stato', 'Cessato', 'disabled'],
    ['Stato', 'sospeso', 'disabled'],
    ['Stato', '1', 'active'],
    ['Stato', '0', 'disabled'],
    ['Attivo', 'Sì', 'active'],
    ['Attivo', 'SI', 'active'],
    ['Attivo', 'S', 'active'],
    ['Attivo', 'No', 'disabled'],
    ['Attivo', 'N', 'disabled'],
    ['Attivo', 'VERO', 'active'],
    ['Enabled', 'false', 'disabled'],
    ['Status', 'disabled', 'disabled'],
    // It could mean "sì" or "sospeso": the service reports it.
    ['Stato', 'S', 'S'],
    ['Stato', 'forse', 'forse'],
  ])('is read from a value of an export: %s %s', async (heading, value, state) => {
    const { rows } = await readFile(`ExternalKey;Username;${heading}\nC1;anna;${value}\n`, {
      withoutPasswords: true,
    });
    expect(rows).toMatchObject([{ user: { State: state } }]);
  });

  it('is read for the principal too', async () => {
    const { rows } = await readFile('ExternalKey;Username;Stato cliente\nC1;anna;Cessato\n', {
      withoutPasswords: true,
    });
    expect(rows).toMatchObject([{ principal: { State: 'disabled' } }]);
  });
});

describe('the heading of an attribute', () => {
  it('becomes a name that the service accepts', async () => {
    const { file, rows } = await readFile(
      'ExternalKey;Username;Attributes.Città;Attributi.Costo (€);Attributes.Data di nascita\nC1;anna;Roma;12;1990\n',
      { withoutPasswords: true },
    );
    expect(file?.columns.slice(2).map(({ field }) => field)).toEqual([
      'Attributes.Citta',
      'Attributes.Costo_EUR',
      'Attributes.Data_di_nascita',
    ]);
    expect(rows).toMatchObject([
      { user: { Attributes: { Citta: 'Roma', Costo_EUR: '12', Data_di_nascita: '1990' } } },
    ]);
  });

  it('is normalised in a mapping too', async () => {
    const { file } = await readFile('ExternalKey;Username;Dove\n', {
      withoutPasswords: true,
      columns: { Dove: 'Attributes.Città' },
    });
    expect(file?.columns[2]?.field).toBe('Attributes.Citta');
  });

  it.each([`Attributes.${'x'.repeat(65)}`, 'Attributes.!?'])(
    'is one error of the file if nothing usable is left of it: %s',
    async (heading) => {
      const { error } = await readFile(`ExternalKey;Username;${heading}\nC1;anna;1\n`, {
        withoutPasswords: true,
      });
      expect(error?.code).toBe('ATTRIBUTE_HEADING');
    },
  );

  it('is one error of the file if another one becomes the same name', async () => {
    const { error } = await readFile('ExternalKey;Username;Attributes.Città;Attributes.Citta\n', {
      withoutPasswords: true,
    });
    expect(error?.code).toBe('DUPLICATE_COLUMN');
  });
});

describe('an accent', () => {
  it('is the same text, whether it is one character or two', async () => {
    const { rows } = await readFile(
      'ExternalKey;Denomination;Username\nC1;Caffe\u0300;anna\nC1;Caffè;carlo\n',
      {
        withoutPasswords: true,
      },
    );
    expect(rows).toMatchObject([
      { principal: { Denomination: 'Caffè' } },
      { principal: { Denomination: 'Caffè' } },
    ]);
    expect(errorsOf({ file: null, rows, error: null })).toEqual({});
  });
});
