import { expect, it } from 'vitest';
import { operatorProblem } from '../../src/cli/output/output.ts';

it('a command says that the disk is full, also if the error names no file', () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write',
  });
  expect(operatorProblem(error)).toEqual({
    code: 'disk_full',
    problem: 'No space is left on the disk',
    advice: 'free some space, then try again.',
  });
});
