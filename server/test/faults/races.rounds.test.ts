import { roundsOf } from '@anagrafe/testing/rounds';
import { it } from 'vitest';
import { expectOneWinnerEach } from './races.ts';

it('the service gives each of many usernames to exactly one of ten concurrent callers', () =>
  expectOneWinnerEach(roundsOf(200)));
