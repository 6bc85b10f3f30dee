import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsBelow, pathOf } from '../../src/cli/command-tree.ts';
import { program } from '../../src/cli/program.ts';
import { anagrafe, expectOneLine, inProcess } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'anagrafe-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shells = ['bash', 'zsh', 'fish'];
const scriptOf = (shell: string) => join(folder, `anagrafe.${shell}`);
const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

beforeAll(async () => {
  for (const shell of shells) {
    const run = shell === 'bash' ? anagrafe : inProcess;
    const { code, stdout, stderr } = await run(['completion', shell]);
    expect([code, stderr]).toEqual([0, '']);
    writeFileSync(scriptOf(shell), stdout);
  }
  writeFileSync(join(folder, 'kit one.json'), '');
});

function output(shell: string, program: string, ...args: string[]): string {
  return execFileSync(shell, ['-c', program, shell, ...args], { cwd: folder, encoding: 'utf8' });
}

/** Returns the completions that bash offers at the end of a command line. */
function inBash(line: string): string[] {
  const ask = `source "$1"
    COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
    COMP_LINE=$2 COMP_POINT=\${#2}
    read -ra COMP_WORDS <<< "$2"
    COMP_CWORD=\${#COMP_WORDS[@]}
    _anagrafe
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return words(output('bash', ask, scriptOf('bash'), line));
}

function words(text: string): string[] {
  return text
    .split('\n')
    .map((word) => word.trim())
    .filter(Boolean);
}

/** Returns the names of the direct subcommands of a command. */
function below(path: string): string[] {
  const found = commandsBelow(program).find((command) => pathOf(command) === path);
  return found?.commands.map((command) => command.name()) ?? [];
}

/** Command lines that have exactly one completion, the same in every shell. */
const unique = [
  ['anagrafe cl', 'client'],
  ['anagrafe client cr', 'create'],
  ['anagrafe client create --sc', '--scope'],
  ['anagrafe client create --name x --k', '--known-by-address'],
  ['anagrafe webhook create https://x.example --granularity j', 'job'],
  ['anagrafe completion fi', 'fish'],
  ['anagrafe state disable --key-file kit', 'kit one.json'],
] as const;

it('completion supports only bash, zsh and fish', async () => {
  expectOneLine(await inProcess(['completion', 'tcsh']), /^error: .*'tcsh'.*bash, zsh, fish/);
});

describe('completion in bash', () => {
  it.each(unique)('completes "%s" to %s', (line, word) => {
    expect(inBash(line)).toEqual([word]);
  });

  it('offers every command and every option of it', () => {
    for (const command of commandsBelow(program)) {
      const path = pathOf(command);
      if (command.commands.length > 0) expect([path, ...inBash(`${path} `)]).toEqual([path, ...below(path)]);
      const options = command.options.map(({ long }) => long);
      expect([path, ...inBash(`${path} --`)]).toEqual([path, ...options, '--help']);
    }
  });

  it('continues after a comma, a colon and an equals sign', () => {
    expect(inBash('anagrafe client create --scope ')).toEqual(['sync:write', 'sync:read', 'admin']);
    expect(inBash('anagrafe client create --scope adm')).toEqual(['admin']);
    expect(inBash('anagrafe client create --scope admin,adm')).toEqual(['admin,admin']);
    // Bash splits words at a colon, so it completes only the part after it.
    expect(inBash('anagrafe client create --scope sync:w')).toEqual(['write']);
    expect(inBash('anagrafe webhook create x --granularity=r')).toEqual(['record']);
  });

  it('offers nothing for free text', () => {
    for (const line of ['anagrafe list --search ', 'anagrafe job watch ', 'anagrafe client create --name '])
      expect(inBash(line)).toEqual([]);
  });
});

/** Runs a suite only if the shell is installed. Bash is required; the other shells are optional. */
function describeIfInstalled(shell: string, suite: () => void): void {
  if (isInstalled(shell)) describe(`completion in ${shell}`, suite);
  else
    it(`completion in ${shell} is not tested, because ${shell} is not installed`, () => {
      expect(isInstalled(shell)).toBe(false);
    });
}

describeIfInstalled('fish', () => {
  const inFish = (line: string) =>
    words(output('fish', 'source $argv[2]; complete -C $argv[3]', scriptOf('fish'), line)).map(
      (offer) => offer.split('\t')[0],
    );

  it.each(unique)('completes "%s" to %s', (line, word) => {
    expect(inFish(line)).toEqual([word]);
  });

  it('offers every command', () => {
    for (const path of commandsBelow(program).map(pathOf)) {
      const names = below(path);
      if (names.length > 0) expect(inFish(`${path} `)).toEqual([...names].sort());
    }
  });

  it('continues after a comma', () => {
    expect(inFish('anagrafe client create --scope sync:write,ad')).toEqual(['sync:write,admin']);
    expect(inFish('anagrafe list --search ')).toEqual([]);
  });
});

describeIfInstalled('zsh', () => {
  /** Types the line, a tab and Ctrl-G into an interactive zsh; Ctrl-G prints the completed line. */
  const ask = `zmodload zsh/zpty
    heard() { local piece all=; repeat 6000; do zpty -r -t typed piece && all+=$piece; [[ $all == *\${~1}* ]] && break; sleep 0.02; done; print -r -- "$all" }
    zpty typed zsh -f -i
    zpty -w typed "autoload -Uz compinit; compinit -D -u; source '$1'; show() { print -r -- \\"<\\$BUFFER>\\"; BUFFER=; }; zle -N show; bindkey '^G' show; print re''ady"
    heard ready > /dev/null
    zpty -w -n typed "$2"$'\\t\\a'
    heard '<*>'
    zpty -d typed`;
  const inZsh = (line: string) => /<(.*)>/.exec(output('zsh', ask, scriptOf('zsh'), line))?.[1];

  it.each(unique)('completes "%s" to %s', (line, word) => {
    const before = line.slice(0, line.lastIndexOf(' ') + 1);
    expect(inZsh(line)?.trimEnd()).toBe(before + word.replace(' ', '\\ '));
  });

  it('continues after a comma, a colon and an equals sign', () => {
    const scope = 'anagrafe client create --scope admin,sync:r';
    expect(inZsh(scope)).toBe(`${scope}ead`);
    const granularity = 'anagrafe webhook create x --granularity=j';
    expect(inZsh(granularity)?.trimEnd()).toBe(`${granularity}ob`);
  });
});
