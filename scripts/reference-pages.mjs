// The reference pages of error codes and settings, generated from the built server.
import { callCodes, statusOf } from '../server/dist/http/status.js';
import { codes } from '../server/dist/lib/error-codes.js';
import { languages } from '../server/dist/lib/translate.js';
import { prefix, settings } from '../server/dist/settings/config.js';
import { errorNotes } from './error-notes.mjs';

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
  const sections = Object.entries(kinds).flatMap(([kind, [title, about]]) => {
    const ofKind = kind === 'call' ? callCodes : names.filter((code) => codes[code] === kind);
    return [`## ${title}`, '', about, '', ...ofKind.flatMap((code) => errorSection(code, kind === 'call'))];
  });
  return `${[
    '# Error codes',
    '',
    'The meaning of a code never changes. Its message may change, and is in English or Italian, as `Accept-Language` asks for; `{…}` is replaced by a',
    'value. With `?debug=true`, `Help` of `debug` is the link to the code on this page.',
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

/** The section of one code: its heading, which is the anchor, the usual cause, what to do, and the messages. */
function errorSection(code, hasStatus) {
  const notes = errorNotes[code];
  if (!notes) throw new Error(`${code} has no cause and remedy in scripts/error-notes.mjs`);
  const [cause, remedy] = notes;
  const status = hasStatus ? [`Status ${statusOf(code)}.`] : [];
  const italian = messagesOf(languages.it[code]);
  const messages = messagesOf(languages.en[code]).map((text, index) => tableRow([text, italian[index]]));
  return [
    `### \`${code}\``,
    '',
    [...status, `**Cause:** ${cause}`, `**Remedy:** ${remedy}`].join(' '),
    '',
    tableRow(['English', 'Italian']),
    tableRow(['---', '---']),
    ...messages,
    '',
  ];
}

function messagesOf(text) {
  return (typeof text === 'string' ? [text] : Object.values(text)).map(cell);
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
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
