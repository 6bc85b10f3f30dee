import { spawn } from 'node:child_process';
import { environment, listen, type Outcome, outcomeOf } from '@anagrafe/testing/heard';
import { until } from '@anagrafe/testing/until';
import { expect, onTestFinished } from 'vitest';
import { type Receiving, serveCgi } from './cgi.ts';
import { type Command, type Language, type Program, samplesFolder } from './languages.ts';
import { inEveryPassword } from './office.ts';

type Settings = Readonly<Record<string, string>>;

/** Runs a command in the folder of the samples until it exits. */
export async function run([command, ...args]: Command, settings: Settings, stdin = ''): Promise<Outcome> {
  const child = spawn(command, args, { env: environment(settings), cwd: samplesFolder });
  // A program that exits early closes its stdin, and the write fails with EPIPE.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return outcomeOf(listen(child));
}

/** Runs a sample with the documented command, and asserts that it prints no password and no secret key. */
export async function runProgram(
  language: Language,
  program: Program,
  args: readonly (string | number)[],
  settings: Settings,
  stdin = '',
): Promise<Outcome> {
  const outcome = await run([...language.run(program), ...args.map(String)], settings, stdin);
  const [, secretKey = inEveryPassword] = settings.ANAGRAFE_KEY?.split('.') ?? [];
  for (const secret of [inEveryPassword, secretKey])
    expect(outcome.stdout + outcome.stderr).not.toContain(secret);
  return outcome;
}

/** Starts the webhook receiver of a language, and returns a function that returns its output so far. */
export async function startReceiver(language: Language, port: number, secret: string): Promise<() => string> {
  const settings = { WEBHOOK_SECRET: secret, PORT: String(port) };
  const command = language.listen(port);
  if (command) return startProgram(command, port, settings);
  const webhook = (headers: Settings, body: string) =>
    runProgram(language, 'webhook', [], { ...settings, ...headers }, body);
  return listening(serveCgi(port, webhook), port);
}

/** Starts a program that listens on a port, and returns a function that returns its output so far. */
export const startProgram = (command: Command, port: number, settings: Settings): Promise<() => string> =>
  listening(serve(command, settings), port);

async function listening({ said, stop }: Receiving, port: number): Promise<() => string> {
  onTestFinished(stop);
  const answers = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).then(Boolean, () => false);
  await until(answers);
  return said;
}

function serve([command, ...args]: Command, settings: Settings): Receiving {
  // `detached` creates a process group, because some commands run the program as a child that must be killed too.
  const child = spawn(command, args, { env: environment(settings), cwd: samplesFolder, detached: true });
  const heard = listen(child);
  return {
    said: () => heard.stdout() + heard.stderr(),
    async stop() {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await heard.closed;
    },
  };
}
