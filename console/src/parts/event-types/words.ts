import type { EventType } from '@anagrafe/client';
import { wordsOf } from '../../language/language.tsx';
import { english } from './english.ts';
import { italian } from './italian.ts';

export const useTypeWords = wordsOf({ en: english, it: italian });

/** All that there are, in the order in which they are offered. */
export const eventTypes: readonly EventType[] = [
  'principal.inserted',
  'principal.state_changed',
  'user.registered',
  'user.password_reset',
  'user.state_changed',
  'call.completed',
  'job.completed',
  'webhook.disabled',
];
