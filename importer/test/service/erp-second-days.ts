/** A user as the store should have it. */
export interface ModelUser {
  email: string | null;
  state: 'active' | 'disabled';
}
export interface ModelCompany {
  name: string;
  vat: string | null;
  state: 'active' | 'disabled';
  users: Record<string, ModelUser>;
}
/** The companies by key. */
export type Model = Record<string, ModelCompany>;

export interface Day {
  readonly title: string;
  readonly file: string | Uint8Array;
  readonly options: readonly string[];
  /** Makes the changes of the file in the model. */
  readonly change: (model: Model) => void;
  readonly exitCode: number;
  /** The lines that are not applied, each of which is reported once. */
  readonly failed: readonly number[];
  /** The lines that are left out because they are no data. */
  readonly leftOut?: readonly number[];
  /** The number of rows that are left out because they are exact copies of earlier ones. */
  readonly repeated?: number;
  /** The principals that are reported as missing in the file. */
  readonly missing?: readonly string[];
}

const head = 'Cod. Cliente;Ragione soc.;P. IVA;Nome utente;Mail';
const file = (...rows: readonly string[]) => `${[head, ...rows].join('\r\n')}\r\n`;
const active = (email: string | null = null): ModelUser => ({ email, state: 'active' });

/** The company with many users, so that the limit of removals counts. */
const warehouse = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => {
    const number = String(first + index).padStart(2, '0');
    return `000105;Grandi Magazzini Riuniti S.p.A.;05277110036;gmr${number};gmr${number}@gmr.example`;
  });
const warehouseUsers = (first: number, last: number): Record<string, ModelUser> =>
  Object.fromEntries(
    warehouse(first, last)
      .map((row) => row.split(';').slice(3))
      .map(([name = '', email = '']) => [name, active(email)]),
  );

const cafe = '000101;Caffè Nero S.r.l.;00743110157';
const workshop = '000102;Officine Dal Pozzo & Figli S.n.c.;01102101506';
const fair = "000103;Ente Fiera d'Oltremare;03012301556";
const farm = '000104;"Società Agricola ""La Quercia""";04188201992';
const lawyers = '000106;Studio Legale Ferri;00933305419';

const everyone = [
  `${cafe};lucia.bruni;lucia@caffenero.example`,
  `${cafe};paolo.neri;`,
  `${cafe};sara.colli;sara@caffenero.example`,
  `${workshop};dario.dalpozzo;dario@dalpozzo.example`,
  `${workshop};irene.dalpozzo;irene@dalpozzo.example`,
  `${fair};g.esposito;g.esposito@fiera.example`,
  `${fair};m.russo;m.russo@fiera.example`,
  `${farm};f.conti;quercia@farm.example`,
];
const office = [`${lawyers};avv.ferri;ferri@legale.example`, `${lawyers};seg.ferri;ferri@legale.example`];

const afterMoves = [
  `${cafe};lucia.bruni;lucia@caffenero.example`,
  `${cafe};irene.dalpozzo;irene@caffenero.example`,
  `${cafe};tea.sanna;tea@caffenero.example`,
  `${workshop};dario.dalpozzo;dario@dalpozzo.example`,
  `${workshop};sara.colli;sara@caffenero.example`,
  `${fair};g.esposito;g.esposito@fiera.example`,
  `${fair};m.russo;m.russo@fiera.example`,
  `${farm};f.conti;quercia@farm.example`,
];
const renamed = afterMoves
  .map((row) => row.replace(workshop, '000102;Dal Pozzo Group S.p.A.;07444109628'))
  .map((row) => row.replace(fair, "000103;Ente Fiera d'Oltremare;08122003653"));
const remove = ['--missing', 'disable'];

function companyOf(model: Model, key: string): ModelCompany {
  const company = model[key];
  if (company === undefined) throw new Error(`The model has no company ${key}.`);
  return company;
}
function userOf(model: Model, key: string, username: string): ModelUser {
  const user = companyOf(model, key).users[username];
  if (user === undefined) throw new Error(`The model has no user ${username} of ${key}.`);
  return user;
}

/** The files of a made-up ERP over ten days, written from what the documentation promises. */
export const days: readonly Day[] = [
  {
    title: 'the first file, in Windows-1252',
    file: Buffer.from(file(...everyone, ...warehouse(1, 30), ...office), 'latin1'),
    options: remove,
    change: (model) => {
      Object.assign(model, {
        '000101': {
          name: 'Caffè Nero S.r.l.',
          vat: '00743110157',
          state: 'active',
          users: {
            'lucia.bruni': active('lucia@caffenero.example'),
            'paolo.neri': active(),
            'sara.colli': active('sara@caffenero.example'),
          },
        },
        '000102': {
          name: 'Officine Dal Pozzo & Figli S.n.c.',
          vat: '01102101506',
          state: 'active',
          users: {
            'dario.dalpozzo': active('dario@dalpozzo.example'),
            'irene.dalpozzo': active('irene@dalpozzo.example'),
          },
        },
        '000103': {
          name: "Ente Fiera d'Oltremare",
          vat: '03012301556',
          state: 'active',
          users: {
            'g.esposito': active('g.esposito@fiera.example'),
            'm.russo': active('m.russo@fiera.example'),
          },
        },
        '000104': {
          name: 'Società Agricola "La Quercia"',
          vat: '04188201992',
          state: 'active',
          users: { 'f.conti': active('quercia@farm.example') },
        },
        '000105': {
          name: 'Grandi Magazzini Riuniti S.p.A.',
          vat: '05277110036',
          state: 'active',
          users: warehouseUsers(1, 30),
        },
        '000106': {
          name: 'Studio Legale Ferri',
          vat: '00933305419',
          state: 'active',
          users: { 'avv.ferri': active('ferri@legale.example'), 'seg.ferri': active('ferri@legale.example') },
        },
      } satisfies Model);
    },
    exitCode: 0,
    failed: [],
  },
  {
    title: 'a hire, a leaver and rows of totals',
    file: file(
      ...everyone.filter((row) => !row.includes('paolo.neri')),
      `${cafe};tea.sanna;tea@caffenero.example`,
      'Totale parziale;;;8;',
      ...warehouse(1, 30),
      ...office,
      '',
      'Totale generale;6 clienti;;40;',
    ),
    options: remove,
    change: (model) => {
      companyOf(model, '000101').users['tea.sanna'] = active('tea@caffenero.example');
      userOf(model, '000101', 'paolo.neri').state = 'disabled';
    },
    exitCode: 0,
    failed: [],
    leftOut: [10, 44],
  },
  {
    title: 'two people who exchange their companies',
    file: file(...afterMoves, ...warehouse(1, 30), ...office),
    options: remove,
    change: (model) => {
      const cafeUsers = companyOf(model, '000101').users;
      const workshopUsers = companyOf(model, '000102').users;
      delete cafeUsers['sara.colli'];
      delete workshopUsers['irene.dalpozzo'];
      workshopUsers['sara.colli'] = active('sara@caffenero.example');
      cafeUsers['irene.dalpozzo'] = active('irene@caffenero.example');
    },
    exitCode: 0,
    failed: [],
  },
  {
    title: 'a company with a new name and a new VAT number, and one with a new VAT number',
    file: file(...renamed, ...warehouse(1, 30), ...office),
    options: remove,
    change: (model) => {
      Object.assign(companyOf(model, '000102'), { name: 'Dal Pozzo Group S.p.A.', vat: '07444109628' });
      companyOf(model, '000103').vat = '08122003653';
    },
    exitCode: 0,
    failed: [],
  },
  {
    title: 'one company whose key has lost its zeros, while missing companies are disabled',
    file: file(...renamed, ...warehouse(1, 30), ...office.map((row) => row.replace('000106', '106'))),
    options: [...remove, '--missing-principals', 'disable'],
    change: () => {},
    exitCode: 3,
    failed: [40],
  },
  {
    title: 'the list of articles instead of the customers',
    file: 'Articolo;Descrizione;Prezzo\r\nA-1;Vite;0,10\r\nA-2;Dado;0,12\r\n',
    options: [...remove, '--missing-principals', 'disable'],
    change: () => {},
    exitCode: 1,
    failed: [],
  },
  {
    title: 'a file that was appended to itself, with its headings',
    file: [0, 1].map(() => file(...renamed, ...warehouse(1, 29), ...office)).join(''),
    options: remove,
    // Its rows state nothing else than one copy of it, which lacks one user.
    change: (model) => {
      userOf(model, '000105', 'gmr30').state = 'disabled';
    },
    exitCode: 0,
    failed: [],
    leftOut: [41],
    repeated: 39,
  },
  {
    title: 'half of a file, cut within a row',
    file: file(...renamed, ...warehouse(1, 5)).slice(0, -30),
    options: [...remove, '--missing-principals', 'disable'],
    change: () => {},
    exitCode: 1,
    failed: [],
  },
  {
    title: 'a company under a new key, and a user without a name',
    file: file(
      ...renamed,
      ...warehouse(1, 29),
      ...office.map((row) => row.replace('000106', 'LEX-6')),
      `${farm};;nameless@farm.example`,
    ),
    options: remove,
    // A row without a user is an error of the file: nothing of it is applied.
    change: () => {},
    exitCode: 1,
    failed: [],
  },
  {
    title: 'a wrong email address, a closed company and a user who returns',
    file: file(
      ...renamed.filter((row) => !row.startsWith('000104')).map((row) => row.replace('tea@', 'tea@@')),
      `${cafe};paolo.neri;paolo@caffenero.example`,
      ...warehouse(1, 30),
      office[0] ?? '',
    ),
    options: [...remove, '--missing-principals', 'disable', '--partial'],
    change: (model) => {
      // A user that was disabled stays disabled, and its other values follow the file.
      userOf(model, '000101', 'paolo.neri').email = 'paolo@caffenero.example';
      userOf(model, '000106', 'seg.ferri').state = 'disabled';
      companyOf(model, '000104').state = 'disabled';
    },
    exitCode: 3,
    failed: [4],
    missing: ['000104'],
  },
];
