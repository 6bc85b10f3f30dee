import type { CloudEvent } from '@anagrafe/client';
import { useFormats } from '../../language/formats.ts';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import { useWords } from './words.ts';

/** Whom or what an event is about, in words. */
export function useAbout(): (event: CloudEvent) => string {
  const { about } = useWords();
  const { operation } = useOutcomeWords();
  const { number } = useFormats();
  const all = (...parts: readonly string[]) => parts.join(' · ');
  return (event) => {
    switch (event.type) {
      case 'principal.inserted':
        return about.principal(event.data.IRID);
      case 'principal.state_changed':
        return all(about.principal(event.data.IRID), about.state[event.data.State]);
      case 'user.registered':
      case 'user.password_reset':
        return all(about.user(event.data.UserID, event.data.Username), about.principal(event.data.IRID));
      case 'user.state_changed':
        return all(about.user(event.data.UserID, event.data.Username), about.state[event.data.State]);
      case 'call.completed':
      case 'job.completed': {
        const { Operation, Records, RecordsFailed } = event.data;
        return all(operation[Operation], about.records(number(Records), number(RecordsFailed)));
      }
      case 'webhook.disabled':
        return about.webhook(event.data.WebhookID, event.data.URL);
    }
  };
}
