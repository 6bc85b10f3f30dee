import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsBelow, pathOf, program } from '../../src/cli/program.ts';

const leaves = commandsBelow(program).filter((command) => command.commands.length === 0);
/** Commands without --json: `serve` runs until it is stopped. */
const withoutJson = ['anagrafe serve'];

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (piece) => (text += piece) });
  command.outputHelp();
  return text;
}

it('the program has commands with unique paths', () => {
  const paths = leaves.map(pathOf);
  expect(paths).toEqual(
    expect.arrayContaining([...withoutJson, 'anagrafe client create', 'anagrafe job watch']),
  );
  expect(new Set(paths).size).toBe(paths.length);
});

it('every command has a help of at most 120 columns that begins with its usage', () => {
  const commands = commandsBelow(program);
  expect(commands.length).toBeGreaterThan(20);
  for (const command of commands) {
    const help = helpOf(command);
    expect(help).toMatch(new RegExp(`^Usage: ${pathOf(command)}[ \\n]`));
    expect(help.split('\n').every((line) => line.length <= 120)).toBe(true);
  }
});

describe.each(leaves.map((command) => [pathOf(command), command] as const))('%s', (path, command) => {
  it('has a description and an example, and accepts --json unless it is exempt', () => {
    expect(command.description()).toMatch(/^[a-z].*[^.]$/);
    expect(helpOf(command)).toMatch(new RegExp(`\\nExamples?:\\n {2}.*${path}\\b`));
    const json = command.options.some(({ long }) => long === '--json');
    expect(json).toBe(!withoutJson.includes(path));
  });

  it('describes each of its options', () => {
    for (const option of command.options) expect(option.description).not.toBe('');
  });
});
