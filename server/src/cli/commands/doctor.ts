import { Command } from 'commander';
import { type Config, prefix, readConfig, settingFaults } from '../../config.ts';
import { examineStore } from '../doctor/database.ts';
import type { Finding, FindingState } from '../doctor/findings.ts';
import { examineHashing } from '../doctor/hashing.ts';
import { examineExposure, examinePort, nodeVersion, openFiles, settingFindings } from '../doctor/machine.ts';
import { paint } from '../output/format.ts';
import { exitCodes, print, tell } from '../output/output.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('look whether the service can run here, and run well; nothing is changed')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nIt works beside a running service and without one. An embedded PostgreSQL that does not run is started for' +
        '\nthe look and stopped again. The exit code is 0 where nothing failed, else 1.' +
        '\n\nExample:\n  anagrafe doctor',
    )
    .action(doctor);
}

async function doctor({ json }: { json?: boolean }): Promise<void> {
  const findings: Finding[] = [];
  let interrupted = false;
  process.once('SIGINT', () => {
    interrupted = true;
  });
  for await (const finding of examine(process.env)) {
    // Leaving the loop runs the `finally` blocks of the generators, which stop a PostgreSQL started for the check.
    if (interrupted) break;
    findings.push(finding);
    if (!json) print(lineOf(finding));
  }
  if (interrupted) {
    process.exitCode = exitCodes.interrupted;
    return;
  }
  const failed = findings.filter(({ state }) => state === 'fail').length;
  const warned = findings.filter(({ state }) => state === 'warn').length;
  if (failed > 0) process.exitCode = exitCodes.trouble;
  if (json) print(JSON.stringify(findings, null, 2));
  else tell(verdict(failed, warned));
}

const marks: Record<FindingState, { mark: string; colour: 'green' | 'yellow' | 'red' }> = {
  ok: { mark: '✔', colour: 'green' },
  warn: { mark: '!', colour: 'yellow' },
  fail: { mark: '✘', colour: 'red' },
};

const nameWidth = 15;

/** Formats a finding: on a terminal the advice is on a second line, elsewhere on the same line. */
function lineOf({ check, state, found, todo }: Finding): string {
  const { mark, colour } = marks[state];
  const line = `${paint(process.stdout, colour, mark)} ${check.padEnd(nameWidth)} ${found}`;
  if (todo === null) return line;
  const gap = process.stdout.isTTY ? `\n${' '.repeat(nameWidth + 3)}` : ' ';
  return `${line}${gap}${paint(process.stdout, colour, `→ ${todo}`)}`;
}

function verdict(failed: number, warned: number): string {
  if (failed + warned === 0) return '\nAll is well.';
  const warnings = `${warned} ${warned === 1 ? 'warning' : 'warnings'}`;
  return failed === 0 ? `\nNothing failed; ${warnings}.` : `\n${failed} failed, ${warnings}.`;
}

/** Runs every check, in the order of the steps of a start. */
export async function* examine(environment: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield nodeVersion();
  const faults = settingFaults(environment);
  yield* settingFindings(environment, faults);
  const rest = Object.entries(environment).filter(([name]) => !faults.has(name));
  const config = readConfig(Object.fromEntries(rest));
  /** `config` has the default of an invalid setting, so a check that depends on the setting would be meaningless. */
  const areValid = (...names: (keyof Config)[]) => names.every((name) => !faults.has(prefix + name));

  yield openFiles(config);
  if (areValid('DATA', 'DATABASE_URL')) yield* examineStore(config, { withKey: areValid('MASTER_KEY') });
  if (areValid('HOST', 'PORT')) yield await examinePort(config);
  if (areValid('HOST', 'TRUST_PROXY')) yield examineExposure(config);
  if (areValid('HASH_CONCURRENCY', 'HASH_MEMORY_KIB', 'HASH_PASSES')) yield* examineHashing(config);
}
