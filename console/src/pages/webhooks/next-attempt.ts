import { useFormats } from '../../language/formats.ts';
import { useNow } from '../../parts/moment.tsx';
import { useWords } from './words.ts';

/** "in 5 seconds", counted down. Nothing is sent to a webhook that is disabled. */
export function useNextAttempt(at: string, enabled: boolean): string {
  const { next } = useWords();
  const { ago } = useFormats();
  const now = useNow(1_000);
  if (!enabled) return next.onceEnabled;
  const date = new Date(at);
  return date > now ? ago(date, now) : next.now;
}
