import { it } from 'vitest';
import { expectOneWinnerEach } from './races.ts';

it('gives each of 200 usernames to exactly one of ten callers that want it at once', () =>
  expectOneWinnerEach(200));
