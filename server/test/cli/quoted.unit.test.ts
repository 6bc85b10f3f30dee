import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoted, quotedIfNeeded } from '../../src/cli/output/format.ts';

/** Returns the arguments that a shell passes to a program, if an operator pastes the command. */
function pasted(command: string): string[] {
  const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' });
  return printed.split('\0').slice(0, -1);
}

it('a plain path and a URL are not quoted in a command', () => {
  expect(quotedIfNeeded('../data/users.failed-2.csv')).toBe('../data/users.failed-2.csv');
  expect(quotedIfNeeded('http://127.0.0.1:8420')).toBe('http://127.0.0.1:8420');
});

it('a value in a command gets double quotes where they suffice', () => {
  expect(quotedIfNeeded('my users.csv')).toBe('"my users.csv"');
  expect(quoted("Nome dell'utente=Username")).toBe('"Nome dell\'utente=Username"');
});

it('the shell passes every quoted value to the program as one argument, and expands nothing in it', () => {
  const hostile = ['$(id)=Username', '`id`', 'a"; id; "', "it's $HOME", '\\', '!!', '', '=ls', '* ?', 'a\nb'];
  expect(pasted(hostile.map(quoted).join(' '))).toEqual(hostile);
  expect(pasted(hostile.map(quotedIfNeeded).join(' '))).toEqual(hostile);
  const values = fc.array(fc.string({ unit: fc.constantFrom(...`ab '"$\`\\!(){}<>|&;*?~#=\n`) }), {
    minLength: 200,
  });
  fc.assert(
    fc.property(values, (texts) => {
      expect(pasted(texts.map(quotedIfNeeded).join(' '))).toEqual(texts);
    }),
    { numRuns: 5 },
  );
});
