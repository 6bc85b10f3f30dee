import type { Config } from '../../config.ts';
import { commandLine } from '../../lib/operator-error.ts';
import { version } from '../../lib/package-folder.ts';
import type { Service } from '../../main.ts';

/** Returns the text that `serve` prints when the service is ready. Its curl commands run as pasted. */
export function banner(service: Service, config: Config): string {
  const { url } = service;
  const store =
    config.DATABASE_URL === null
      ? `embedded PostgreSQL, data in ${config.DATA}`
      : 'database of ANAGRAFE_DATABASE_URL';
  return [
    '',
    `  Anagrafe ${version} is ready (${store}).`,
    '',
    `  API       ${url}/api/sync/v1/irs/update`,
    `  Docs      ${url}/docs`,
    `  Console   ${url}/console`,
    '',
    ...(service.protectedMode ? protectedHints(url) : clientHints(url)),
    '',
  ].join('\n');
}

function protectedHints(url: string): string[] {
  return [
    '  Protected mode: there is no API client yet, so programs on this machine can call without a credential.',
    '  Create a principal, then register a user with the principal ID that is returned as Item1:',
    '',
    ...call(url, 'insert', '[{"Denomination":"Rossi Srl"}]'),
    '',
    ...call(
      url,
      'update',
      '[{"ID":1,"Users":[{"Username":"mario.rossi","Password":"una frase lunga","ConfirmPassword":"una frase lunga"}]}]',
    ),
    '',
    `  To end protected mode, create the first API client: ${commandLine('client create --name erp')}`,
  ];
}

function clientHints(url: string): string[] {
  return [
    `  Calls need an API client (${commandLine('client list')}). With ANAGRAFE_KEY=<public>.<secret>:`,
    '',
    ...call(url, 'list', '{"PageSize":10}', ` \\\n      -H "Authorization: Bearer $ANAGRAFE_KEY"`),
  ];
}

function call(url: string, name: string, body: string, credential = ''): string[] {
  return [
    `    curl ${url}/api/sync/v1/irs/${name}${credential} \\`,
    `      -H 'Content-Type: application/json' \\`,
    `      -d '${body}'`,
  ];
}
