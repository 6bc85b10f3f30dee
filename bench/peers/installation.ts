import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AtEnd } from '../running/endings.ts';
import { finished, startProgram } from '../running/program.ts';

const cache = fileURLToPath(new URL('../../../.cache/peers/', import.meta.url));

/** With its default timeouts, npm would wait for minutes before it reports a missing network. */
const options = ['--no-audit', '--no-fund', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

export interface Peer {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** Dependencies that must be compiled, and the package with the Node.js and the headers to compile them with. */
  readonly compiled?: { readonly names: readonly string[]; readonly node: string };
}

/** Installs a peer outside of the project's dependencies, unless it is installed already, and returns its folder. */
export async function install(atEnd: AtEnd, peer: Peer): Promise<string> {
  const folder = join(cache, `${peer.name.toLowerCase().replaceAll(' ', '-')}-${peer.version}`);
  const { dependencies, compiled } = peer;
  const allowScripts = Object.fromEntries((compiled?.names ?? []).map((name) => [name, true]));
  const manifest = JSON.stringify({ private: true, dependencies, allowScripts }, null, 2);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === manifest) return folder;

  atEnd(async () => {
    if (!existsSync(stamp)) rmSync(folder, { recursive: true, force: true });
  });
  console.error(`Installing ${peer.name} ${peer.version} in ${folder}, once …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  try {
    // Install scripts would download and compile databases and tools that the benchmark does not need.
    await npm(atEnd, folder, process.execPath, ['install', '--ignore-scripts', ...options]);
    if (compiled) {
      const home = join(folder, 'node_modules', compiled.node);
      const rebuild = ['rebuild', ...compiled.names, '--ignore-scripts=false', '--foreground-scripts'];
      await npm(atEnd, folder, join(home, 'bin', 'node'), rebuild, { npm_config_nodedir: home });
    }
  } catch (error) {
    throw new Error(`it could not be installed: ${npmReason((error as Error).message)}`);
  }
  writeFileSync(stamp, manifest);
  return folder;
}

function npm(atEnd: AtEnd, folder: string, node: string, args: string[], settings = {}): Promise<void> {
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, ...settings };
  const cli = process.env.npm_execpath;
  const [command, first] = cli?.endsWith('.js') ? [node, [cli]] : ['npm', []];
  const all = [...first, ...args, '--prefix', folder, '--loglevel=error'];
  return finished(startProgram(atEnd, command, all, { cwd: folder, env }));
}

/** Extracts the error messages from the output of npm, without stack traces and hints. */
function npmReason(output: string): string {
  const errors = output.split('\n').flatMap((line) => /^npm error (\S.+)/.exec(line)?.[1] ?? []);
  const messages = errors.filter((line) => !/^(at|syscall|errno|A complete log) /.test(line));
  return messages.join(' ') || output;
}
