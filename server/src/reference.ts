import { prefix, settings } from './config.ts';
import { callCodes, statusOf } from './http/status.ts';
import { languages } from './i18n/translate.ts';
import { type Code, codes, type Sentence } from './lib/error-codes.ts';

/** Generators of the reference pages in `docs/`, by path. `npm run generate` writes them, so they match the code. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/errors.md': errorsPage,
  'docs/settings.md': settingsPage,
};

const kinds = {
  call: 'The whole call: `errorCode` of the envelope',
  record: 'One record: `Item2` of its tuple',
  field: 'One place of a record: `code` in `Item5`',
};

function errorsPage(): string {
  const names = Object.keys(codes) as Code[];
  const sections = (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => {
    const rows = (kind === 'call' ? callCodes : names.filter((code) => codes[code] === kind)).map((code) =>
      errorRow(code, kind === 'call'),
    );
    const head = kind === 'call' ? ['code', 'status', 'English', 'Italian'] : ['code', 'English', 'Italian'];
    return [`## ${kinds[kind]}`, '', tableRow(head), tableRow(head.map(() => '---')), ...rows, ''].join('\n');
  });
  return `${[
    '# Error codes',
    '',
    'Written from the catalogue in `server/src/lib/error-codes.ts` by `npm run generate`. A code never changes its meaning; its',
    'sentence may be worded anew, and comes in the language of `Accept-Language`. `{…}` stands for a figure.',
    '',
    'A code of a place becomes the code of the record when it is the only kind of fault there and says all there is to say',
    '(`USERNAME_TAKEN`, `USER_NOT_FOUND`, `PRINCIPAL_NOT_FOUND`, `EXTERNAL_KEY_TAKEN`); a code that all records share is',
    'the `errorCode` of the call, with status 422.',
    '',
    ...sections,
  ]
    .join('\n')
    .trimEnd()}\n`;
}

function errorRow(code: Code, withStatus: boolean): string {
  const sentences = [cell(languages.en[code]), cell(languages.it[code])];
  return tableRow([`\`${code}\``, ...(withStatus ? [String(statusOf(code))] : []), ...sentences]);
}

function cell(sentence: Sentence): string {
  const sentences = typeof sentence === 'string' ? [sentence] : Object.values(sentence);
  return sentences.map((text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join('<br>');
}

function settingsPage(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const cores = name === 'HASH_CONCURRENCY' ? 'as many as there are cores' : undefined;
    const folder = name === 'DATA' ? '`./data`; for root `/var/lib/anagrafe`' : undefined;
    const shown = cores ?? folder ?? `\`${setting.show(setting.fallback as never)}\``;
    return tableRow([`\`${prefix}${name}\``, setting.about, setting.takes, shown]);
  });
  return `${[
    '# Settings',
    '',
    'Written from `server/src/config.ts` by `npm run generate`. All settings come from the environment. A wrong value, or a',
    'setting that does not exist, stops the start with one line that says so. `npx --no -- anagrafe config` prints what is in force.',
    '',
    tableRow(['setting', 'what it is', 'what it takes', 'without it']),
    tableRow(['---', '---', '---', '---']),
    ...rows,
  ].join('\n')}\n`;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
