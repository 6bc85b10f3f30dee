import { Anagrafe, type AnagrafeOptions } from '@anagrafe/client';
import { type Language, languages, useLanguage } from '../../i18n/language.tsx';

/** Short timeouts, because a person waits: after 25 s at most the page shows an error with a retry button. */
const interactiveTimeouts = { timeoutMs: 20_000, retries: 2, totalTimeoutMs: 25_000 };

const interactiveClients = createClients(interactiveTimeouts);
const patientClients = createClients({});

function createClients(options: Partial<AnagrafeOptions>): Record<Language, Anagrafe> {
  const entries = languages.map((language) => [
    language,
    new Anagrafe({ url: location.origin, credentials: 'same-origin', language, ...options }),
  ]);
  return Object.fromEntries(entries) as Record<Language, Anagrafe>;
}

/** Returns an API client for the service that served this page, with messages in the chosen language. */
export function useAnagrafe(): Anagrafe {
  return interactiveClients[useLanguage().language];
}

/** Returns an API client with the default timeouts, for large calls whose progress is shown. */
export function usePatientAnagrafe(): Anagrafe {
  return patientClients[useLanguage().language];
}
