import { expect, it } from 'vitest';
import { spaceFinding } from '../../src/cli/doctor/data-folder.ts';
import { clockFinding } from '../../src/cli/doctor/database.ts';
import { filesFinding } from '../../src/cli/doctor/machine.ts';

const mebibyte = 1024 * 1024;

it('doctor warns of less than 1 GiB of free disk space and fails below 100 MiB', () => {
  expect(spaceFinding(1024 * mebibyte)).toMatchObject({ state: 'ok', found: '1.0 GiB free', todo: null });
  expect(spaceFinding(1024 * mebibyte - 1)).toMatchObject({ state: 'warn', found: '1023 MiB free' });
  expect(spaceFinding(100 * mebibyte).state).toBe('warn');
  expect(spaceFinding(100 * mebibyte - 1)).toMatchObject({
    state: 'fail',
    found: '99 MiB free',
    todo: expect.stringContaining('ANAGRAFE_DATA'),
  });
});

it('doctor warns if clocks differ by more than 2 s and fails if receivers would reject webhook timestamps', () => {
  expect([0, 2, 2.1, 300, 301].map((apart) => clockFinding(apart).state)).toEqual([
    'ok',
    'ok',
    'warn',
    'warn',
    'fail',
  ]);
  expect(clockFinding(77.4)).toMatchObject({ found: expect.stringContaining('77 seconds apart') });
});

it('doctor warns if the limit of open files is too low for 1,000 callers and the database', () => {
  expect(filesFinding(Number.POSITIVE_INFINITY, 10).found).toBe('without a limit');
  expect(filesFinding(65_536, 10)).toMatchObject({ state: 'ok', found: 'up to 65536' });
  expect(filesFinding(256, 10)).toMatchObject({
    state: 'warn',
    found: expect.stringContaining('182 callers'),
  });
});
