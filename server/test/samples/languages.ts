import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const samplesFolder = fileURLToPath(new URL('../../../docs/samples/', import.meta.url));

export type Program = 'register' | 'reset' | 'records' | 'job' | 'webhook';
export type Command = readonly [command: string, ...args: string[]];

export interface Language {
  readonly name: string;
  /** The command that prints the version of the language. */
  readonly probe: Command;
  /** Matches the output of `probe` if a supported version is installed. */
  readonly shows: RegExp;
  /** The command that builds the programs, if they need a build. */
  readonly build?: Command;
  /** Returns the command that runs a program. */
  run(program: Program): Command;
  /** Returns the command that starts the webhook receiver; null means a CGI program, which needs a web server. */
  listen(port: number): Command | null;
}

const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** Where Debian puts the library for Mono. */
const newtonsoft = '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll';

/** The commands equal those of docs/guides/integrating.md, but run in the folder of the samples, and C# with Mono. */
export const languages: readonly Language[] = [
  {
    name: 'bash',
    probe: ['bash', '-c', 'curl --version && openssl version'],
    shows: /^curl [\s\S]*^(OpenSSL|LibreSSL)/m,
    run: (program) => ['bash', `bash/${program}.sh`],
    listen: () => null,
  },
  {
    name: 'TypeScript',
    probe: ['node', '--version'],
    shows: /^v[2-9]\d\./,
    build: ['node', tsc, '-p', 'typescript'],
    run: (program) => ['node', `typescript/dist/${program}.js`],
    listen: () => ['node', 'typescript/dist/webhook.js'],
  },
  {
    name: 'Python',
    probe: ['python3', '--version'],
    shows: /^Python 3\.(9|\d\d)/,
    // -B keeps Python from writing a __pycache__ folder next to the samples.
    run: (program) => ['python3', '-B', `python/${program}.py`],
    listen: () => ['python3', '-B', 'python/webhook.py'],
  },
  {
    name: 'PHP',
    probe: ['php', '-r', 'echo PHP_VERSION, extension_loaded("curl") ? " with curl" : "";'],
    shows: /^8\.[1-9].* with curl$/,
    run: (program) => ['php', `php/${program}.php`],
    listen: (port) => ['php', '-S', `127.0.0.1:${port}`, 'php/webhook.php'],
  },
  {
    name: 'C#',
    probe: ['bash', '-c', `mcs --version && ls ${newtonsoft}`],
    shows: /^Mono C# compiler version [6-9]\.[\s\S]*Newtonsoft\.Json\.dll$/m,
    build: [
      'bash',
      '-c',
      `mkdir -p csharp/bin && cp ${newtonsoft} csharp/bin && mcs -langversion:7.2 -out:csharp/bin/Samples.exe -r:System.Net.Http -r:${newtonsoft} csharp/*.cs`,
    ],
    run: (program) => ['mono', 'csharp/bin/Samples.exe', program],
    listen: () => ['mono', 'csharp/bin/Samples.exe', 'webhook'],
  },
];

export function isHere({ probe: [command, ...args], shows }: Language): boolean {
  const { stdout } = spawnSync(command, args, { encoding: 'utf8' });
  return shows.test(stdout ?? '');
}
