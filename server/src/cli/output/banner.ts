import { isLoopback } from '../../lib/network.ts';
import { commandLine } from '../../lib/operator-error.ts';
import { version } from '../../lib/package-folder.ts';
import type { Service } from '../../main.ts';
import type { Config } from '../../settings/config.ts';

/** Returns the lines that `serve` prints when the service is ready. Its curl commands run as pasted. */
export function banner(service: Service, config: Config): string[] {
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
    ...(service.protectedMode ? protectedHints(url) : clientHints(url, config)),
    '',
  ];
}

function protectedHints(url: string): string[] {
  return [
    '  Protected mode: there is no API client yet, so programs of this user can call without a credential.',
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
    `  or open ${url}/console, which leads through the set-up.`,
  ];
}

export const letOthersCall =
  'To let other machines call, put a reverse proxy with TLS in front of it and set ANAGRAFE_TRUST_PROXY to the address of the proxy; in a trusted network, set ANAGRAFE_HOST=0.0.0.0 instead. Then restart the service.';

/** Returns true if the service listens on this machine only, and no reverse proxy passes calls on to it. */
function isLocalOnly({ HOST, TRUST_PROXY }: Config): boolean {
  return TRUST_PROXY.length === 0 && (HOST === 'localhost' || isLoopback(HOST));
}

/** Says why other machines cannot call the service yet, and what to set; null if they can. */
export function localOnlyHint(config: Config): string | null {
  return isLocalOnly(config)
    ? `Only programs on this machine can call the service: it listens on ${config.HOST}. ${letOthersCall}`
    : null;
}

function clientHints(url: string, config: Config): string[] {
  const hint = localOnlyHint(config);
  return [
    `  Calls need an API client (${commandLine('client list')}). With ANAGRAFE_KEY=<public>.<secret>:`,
    '',
    ...call(url, 'list', '{"PageSize":10}', '-H "Authorization: Bearer $ANAGRAFE_KEY"'),
    ...(hint === null ? [] : ['', ...wrapped(hint)]),
  ];
}

function call(url: string, name: string, body: string, ...more: string[]): string[] {
  return [
    `    curl ${url}/api/sync/v1/irs/${name} \\`,
    ...more.map((option) => `      ${option} \\`),
    `      -H 'Content-Type: application/json' \\`,
    `      -d '${body}'`,
  ];
}

/** Breaks a text into lines of at most 110 columns, indented as the rest of the banner. */
function wrapped(text: string): string[] {
  return text
    .replace(/(.{1,108})(\s+|$)/g, '  $1\n')
    .trimEnd()
    .split('\n');
}
