import { Command } from 'commander';
import { paint } from './colours.ts';
import { examine } from './doctor/examine.ts';
import type { Finding, FindingState } from './doctor/finding.ts';
import { exitCodes, print, tell } from './output.ts';

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
    // What was begun comes to its end: a PostgreSQL that was started for the look must not be left behind.
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

/** On a terminal what to do stands on a line of its own, below what was found; elsewhere all in one. */
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
