// The reference pages of error codes and settings, generated from the built server.
import { callCodes, statusOf } from '../server/dist/http/status.js';
import { codes } from '../server/dist/lib/error-codes.js';
import { languages } from '../server/dist/lib/translate.js';
import { prefix, settings } from '../server/dist/settings/config.js';

/** The sections of the page of error codes: heading, and where a code of this kind appears. */
const kinds = {
  call: [
    'Call errors',
    'The call was refused or not fully applied. The code is `errorCode` of the envelope.',
  ],
  record: ['Record errors', 'One record was not applied. The code is `Item2` of its tuple.'],
  field: [
    'Field errors',
    'A field of a record is invalid. The code is in `Item5` of the tuple, under the path of the field.',
  ],
};

export function errorsPage() {
  const names = Object.keys(codes);
  const sections = Object.keys(kinds).map((kind) => {
    const rows = (kind === 'call' ? callCodes : names.filter((code) => codes[code] === kind)).map((code) =>
      errorRow(code, kind === 'call'),
    );
    const head = kind === 'call' ? ['code', 'status', 'English', 'Italian'] : ['code', 'English', 'Italian'];
    const [title, about] = kinds[kind];
    return [`## ${title}`, '', about, '', tableRow(head), tableRow(head.map(() => '---')), ...rows, ''].join(
      '\n',
    );
  });
  return `${[
    '# Error codes',
    '',
    'Generated from `server/src/i18n/` by `npm run generate`. The meaning of a code never changes. Its message may change,',
    'and is in English or Italian, as `Accept-Language` asks for. `{…}` is replaced by a value.',
    '',
    'These are the codes of the service. [Error codes of the import](guides/bulk-import.md#error-codes) has those that `anagrafe import` and',
    '`anagrafe reset` find in a file.',
    '',
    'How codes are chosen:',
    '',
    '- The code of a record is `PRINCIPAL_NOT_FOUND` if its principal does not exist. If all its field errors have the same code, and that code is',
    '  `USERNAME_TAKEN`, `USER_NOT_FOUND`, `EXTERNAL_KEY_TAKEN` or `PRINCIPAL_DISABLED`, it is that code. Otherwise it is `INVALID_USERS` if',
    '  only users have field errors, or `INVALID_RECORD`.',
    '- If no record was applied and all have the same code, it is also the `errorCode` of the call, with status 422.',
    '',
    ...sections,
  ]
    .join('\n')
    .trimEnd()}\n`;
}

function errorRow(code, withStatus) {
  const sentences = [cell(languages.en[code]), cell(languages.it[code])];
  return tableRow([`\`${code}\``, ...(withStatus ? [String(statusOf(code))] : []), ...sentences]);
}

function cell(sentence) {
  const sentences = typeof sentence === 'string' ? [sentence] : Object.values(sentence);
  return sentences.map((text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join('<br>');
}

const settingsFileSection = [
  '## Settings file',
  '',
  'The service and every command read `anagrafe.env` in the data folder, if it exists. `--config <file>` or `ANAGRAFE_CONFIG` names another',
  'file. With the file, variables need not be repeated in each terminal:',
  '',
  '```ini',
  '# /var/lib/anagrafe/anagrafe.env',
  'ANAGRAFE_HOST=0.0.0.0',
  'ANAGRAFE_TRUST_PROXY=10.0.0.2',
  'ANAGRAFE_DATABASE_URL="postgres://anagrafe:secret@db.example.com/anagrafe"',
  '```',
  '',
  '- Environment variables override the file. An empty variable counts as not set.',
  '- A line is `NAME=value`, with or without quotes, or a comment that begins with `#`. A value with a `#` needs quotes.',
  '- An unknown name, an invalid line or a name that is set twice is an error.',
  '- `ANAGRAFE_DATA` can be set only in a file that `--config` or `ANAGRAFE_CONFIG` names.',
  '- A file with secrets should be readable by its owner only: `chmod 600`. Commands and `doctor` warn if other users can read it.',
  '- Changes apply after a restart of the service.',
];

export function settingsPage() {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const cores = name === 'HASH_CONCURRENCY' ? 'the number of cores' : undefined;
    const folder = name === 'DATA' ? '`./data`; as root `/var/lib/anagrafe`' : undefined;
    const shown = cores ?? folder ?? `\`${setting.show(setting.fallback)}\``;
    return tableRow([`\`${prefix}${name}\``, cell(setting.about), cell(setting.takes), shown]);
  });
  return `${[
    '# Settings',
    '',
    'Generated from `server/src/settings/config.ts` by `npm run generate`. Settings are environment variables, or lines of a',
    '[settings file](#settings-file). The service does not start if a value is invalid or a variable that begins with `ANAGRAFE_` is unknown.',
    'Secrets are masked wherever settings are shown:',
    '',
    '| command | shows |',
    '| --- | --- |',
    '| `npx --no -- anagrafe config` | the settings of this terminal, and where each value comes from |',
    '| `npx --no -- anagrafe config --running` | the settings of the running service, and those that differ from this terminal |',
    '',
    tableRow(['setting', 'description', 'values', 'default']),
    tableRow(['---', '---', '---', '---']),
    ...rows,
    '',
    ...settingsFileSection,
  ].join('\n')}\n`;
}

function tableRow(cells) {
  return `| ${cells.join(' | ')} |`;
}
