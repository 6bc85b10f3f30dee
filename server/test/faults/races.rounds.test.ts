import { it } from 'vitest';
import { expectOneWinnerEach } from './races.ts';

it('the service gives each of 200 usernames to exactly one of ten concurrent callers', () =>
  expectOneWinnerEach(200));
