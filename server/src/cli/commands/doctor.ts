import { Command } from 'commander';
import { type Config, prefix, readConfig, settingErrors } from '../../settings/config.ts';
import { exposureOf, loadSettings } from '../../settings/settings-file.ts';
import { examineStore } from '../doctor/database.ts';
import type { Severity } from '../doctor/finding-kinds.ts';
import { describeFinding, type Finding, finding } from '../doctor/findings.ts';
import { examineHashing } from '../doctor/hashing.ts';
import { examineExposure, examinePort, nodeVersion, openFiles, settingFindings } from '../doctor/machine.ts';
import { examineMail } from '../doctor/mail.ts';
import { paint } from '../output/format.ts';
import { exitCodes, print, tell } from '../output/output.ts';
import type { SettingsOptions } from '../settings.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the installation: settings, database, network and hashing speed')
    .option('--json', 'print the findings as JSON, each with a code and its fields')
    .addHelpText(
      'after',
      '\nChanges nothing. Works with or without a running service: an embedded PostgreSQL that is not running is started' +
        '\nfor the check and stopped afterwards. The exit code is 0 if there are no errors, else 1.' +
        '\n\nExample:\n  anagrafe doctor',
    )
    .action(doctor);
}

async function doctor({ json, config }: SettingsOptions & { json?: boolean }): Promise<void> {
  const findings: Finding[] = [];
  let interrupted = false;
  process.once('SIGINT', () => {
    interrupted = true;
  });
  for await (const finding of examine(config)) {
    // Leaving the loop runs the `finally` blocks of the generators, which stop a PostgreSQL started for the check.
    if (interrupted) break;
    findings.push(finding);
    if (!json) print(lineOf(finding));
  }
  if (interrupted) {
    process.exitCode = exitCodes.interrupted;
    return;
  }
  const failed = findings.filter(({ severity }) => severity === 'error').length;
  const warned = findings.filter(({ severity }) => severity === 'warning').length;
  if (failed > 0) process.exitCode = exitCodes.trouble;
  const withText = findings.map((finding) => ({ ...finding, ...describeFinding(finding) }));
  if (json) print(JSON.stringify(withText, null, 2));
  else tell('', verdict(failed, warned));
}

const marks: Record<Severity, { mark: string; colour: 'green' | 'yellow' | 'red' }> = {
  ok: { mark: '✔', colour: 'green' },
  warning: { mark: '!', colour: 'yellow' },
  error: { mark: '✘', colour: 'red' },
};

const nameWidth = 15;

/** Formats a finding: on a terminal the advice is on a second line, elsewhere on the same line. */
function lineOf(finding: Finding): string {
  const { check, severity } = finding;
  const { found, todo } = describeFinding(finding);
  const { mark, colour } = marks[severity];
  const line = `${paint(process.stdout, colour, mark)} ${check.padEnd(nameWidth)} ${found}`;
  if (todo === null) return line;
  const gap = process.stdout.isTTY ? `\n${' '.repeat(nameWidth + 3)}` : ' ';
  return `${line}${gap}${paint(process.stdout, colour, `→ ${todo}`)}`;
}

function verdict(failed: number, warned: number): string {
  if (failed + warned === 0) return 'No problems found.';
  const warnings = `${warned} ${warned === 1 ? 'warning' : 'warnings'}`;
  const errors = failed === 0 ? 'No errors' : `${failed} ${failed === 1 ? 'error' : 'errors'}`;
  return `${errors}, ${warnings}.`;
}

/** Runs every check, in the order of the steps of a start. */
async function* examine(settingsFile: string | undefined): AsyncGenerator<Finding> {
  yield nodeVersion();
  const loaded = loadSettings(process.env, settingsFile);
  const errors = settingErrors(loaded.environment, loaded);
  yield* settingFindings(loaded, [...loaded.errors, ...errors.values()]);
  const exposure = exposureOf(loaded);
  if (exposure) yield finding('settings_file_exposed', { path: loaded.path ?? '', names: loaded.exposed });
  const rest = Object.entries(loaded.environment).filter(([name]) => !errors.has(name));
  const config = readConfig(Object.fromEntries(rest));
  /** `config` has the default of an invalid setting, so a check that depends on the setting would be meaningless. */
  const areValid = (...names: (keyof Config)[]) => names.every((name) => !errors.has(prefix + name));

  yield openFiles(config);
  let hasClients = false;
  if (areValid('DATA', 'DATABASE_URL')) {
    for await (const found of examineStore(config, { withKey: areValid('MASTER_KEY') })) {
      if (found.code === 'client_required') hasClients = true;
      yield found;
    }
  }
  if (areValid('HOST', 'PORT')) yield await examinePort(config);
  if (areValid('HOST', 'TRUST_PROXY')) yield examineExposure(config, { hasClients });
  if (areValid('SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL')) yield* examineMail(config);
  if (areValid('HASH_CONCURRENCY', 'HASH_MEMORY_KIB', 'HASH_PASSES')) yield* examineHashing(config);
}
