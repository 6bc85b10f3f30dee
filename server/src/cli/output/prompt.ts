import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { terminalText } from '../../lib/terminal-text.ts';
import { ConfigError } from '../../settings/config.ts';
import { exitCodes, Interrupted, tell } from './output.ts';

/** No password is longer. Bounds the memory that a wrong pipe can take. */
const maxLineLength = 4096;

/** Asks a question on the terminal. Returns true only for the answer "y" or "yes". */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new ConfigError(`${question} There is no terminal to answer. Use --yes to confirm.`);
  const answer = await askLine(`${terminalText(question)} [y/N] `, { hidden: false });
  return /^y(es)?$/i.test(answer.trim());
}

/** Reads a new password: twice from the terminal, without showing it, or one line from a pipe. */
export async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return readPipedLine();
  const password = await askLine('New password: ', { hidden: true });
  const repeated = await askLine('Repeat the password: ', { hidden: true });
  if (password !== repeated) throw new ConfigError('The two passwords differ. Nothing was changed.');
  return password;
}

async function askLine(question: string, { hidden }: { hidden: boolean }): Promise<string> {
  // readline echoes to its output what is typed. Hidden input gets an output that discards everything.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({
    input: process.stdin,
    output: hidden ? discard : process.stderr,
    terminal: true,
    historySize: 0,
    prompt: question,
  });
  if (hidden) process.stderr.write(question);
  prompt.prompt();
  try {
    const interrupted = once(prompt, 'SIGINT').then(() => null);
    const closed = once(prompt, 'close').then(() => null);
    const [line] = (await Promise.race([once(prompt, 'line'), interrupted, closed])) ?? [null];
    if (hidden) tell('');
    if (line === null) throw new Interrupted(exitCodes.interrupted);
    return line;
  } finally {
    prompt.close();
  }
}

async function readPipedLine(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) {
    text += piece;
    if (text.includes('\n') || text.length > maxLineLength) break;
  }
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line.length > maxLineLength) throw new ConfigError('The password on standard input is too long.');
  if (line === '')
    throw new ConfigError(
      'There is no password on standard input. Run the command in a terminal, or send the password as one line.',
    );
  return line;
}
