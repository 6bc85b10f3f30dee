import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterTest } from '@anagrafe/testing/endings';
import { environment } from '@anagrafe/testing/heard';
import { root } from './pages.ts';

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** Commands that failed, with their exit codes. */
  readonly failed: readonly string[];
  /** HTTP status of each curl command. */
  readonly statuses: readonly number[];
}

/** A shell that runs one block after the other, so that variables and the current folder are kept. */
export interface Terminal {
  /** With `merged`, standard error goes to standard output, in the order in which a person sees the lines. */
  run(commands: string, merged: boolean): Promise<Printed>;
}

const statusMark = '#status ';

/** Opens bash in a temporary folder that contains the folder `docs`, as the folder of the project does. */
export function openTerminal(settings: Readonly<Record<string, string>>): Terminal {
  const desk = temporaryFolder();
  const files = temporaryFolder();
  symlinkSync(join(root, 'docs'), join(desk, 'docs'));
  const failures = join(files, 'failures');
  // `detached` creates a process group, so that programs that a page starts in the background are ended too.
  const child = spawn('bash', [], {
    cwd: desk,
    env: environment(settings),
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  afterTest(() => end(child));
  const marks = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(prelude(failures));
  let count = 0;

  async function run(commands: string, merged: boolean): Promise<Printed> {
    count += 1;
    const file = (name: string) => join(files, `${count}.${name}`);
    writeFileSync(file('sh'), commands);
    writeFileSync(failures, '');
    child.stdin.write(
      `source ${file('sh')} </dev/null >${file('out')} 2>${merged ? '&1' : file('err')}; echo done\n`,
    );
    const { done } = await marks.next();
    if (done) throw new Error(`these commands ended the shell:\n${commands}`);
    const stdout = readFileSync(file('out'), 'utf8');
    const stderr = existsSync(file('err')) ? readFileSync(file('err'), 'utf8') : '';
    return {
      stdout: withoutStatuses(stdout),
      stderr: withoutStatuses(stderr),
      failed: failedCommands(readFileSync(failures, 'utf8')),
      statuses: [...`${stdout}\n${stderr}`.matchAll(/^#status (\d+)$/gm)].map(([, status]) => Number(status)),
    };
  }
  return { run };
}

/**
 * Functions replace npx, which takes seconds to start, and curl, so that it prints no progress and the status of the
 * answer to standard error.
 */
function prelude(failures: string): string {
  return `npx() { shift 3; "${process.execPath}" "${root}server/bin/anagrafe.cjs" "$@"; }
curl() { command curl -sS -w '%{stderr}\\n${statusMark}%{http_code}\\n' "$@"; }
trap 'echo "$? $BASH_COMMAND" >>"${failures}"' ERR
`;
}

const withoutStatuses = (text: string) => text.replace(/\n#status \d+\n/g, '');

/** Bash names the body of the function `npx`. Exit code 3 of the command line means that some records failed, which pages show on purpose. */
function failedCommands(lines: string): string[] {
  return lines.split('\n').filter((line) => line !== '' && !/^3 "|^\d+ source /.test(line));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-docs-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGKILL');
  await closed;
}
