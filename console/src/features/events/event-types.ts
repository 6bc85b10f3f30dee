import type { EventType } from '@anagrafe/client';
import { eventTypeEn } from '../../i18n/en.ts';
import { eventTypeIt } from '../../i18n/it.ts';
import { messagesOf } from '../../i18n/language.tsx';

export const useEventTypeMessages = messagesOf({ en: eventTypeEn, it: eventTypeIt });

/** All event types, in the order of the options in the interface. */
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
