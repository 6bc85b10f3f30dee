import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsBelow, pathOf } from '../../src/cli/tree.ts';
import { program } from '../../src/cli.ts';

const leaves = commandsBelow(program).filter((command) => command.commands.length === 0);
/** One runs until it is stopped, the other prints a script. */
const without = ['anagrafe serve', 'anagrafe completion'];

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (piece) => (text += piece) });
  command.outputHelp();
  return text;
}

it('has commands below it', () => {
  const paths = leaves.map(pathOf);
  expect(paths).toEqual(expect.arrayContaining([...without, 'anagrafe client create', 'anagrafe job watch']));
  expect(new Set(paths).size).toBe(paths.length);
});

describe.each(leaves.map((command) => [pathOf(command), command] as const))('%s', (path, command) => {
  it('says what it does, shows an example of itself, and takes --json', () => {
    expect(command.description()).toMatch(/^[a-z].*[^.]$/);
    expect(helpOf(command)).toMatch(new RegExp(`\\nExamples?:\\n {2}.*${path}\\b`));
    const json = command.options.some(({ long }) => long === '--json');
    expect(json).toBe(!without.includes(path));
  });

  it('says of each option what it is', () => {
    for (const option of command.options) expect(option.description).not.toBe('');
  });
});
