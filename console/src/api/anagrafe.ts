import { Anagrafe, type AnagrafeOptions } from '@anagrafe/client';
import { type Language, languages, useLanguage } from '../language/language.tsx';

/** A person waits: what does not come soon is said, with a button to try again. */
const patience = { timeoutMs: 20_000, retries: 2, patienceMs: 25_000 };

const services = servicesWith(patience);
const patientServices = servicesWith({});

function servicesWith(options: Partial<AnagrafeOptions>): Record<Language, Anagrafe> {
  const entries = languages.map((language) => [
    language,
    new Anagrafe({ url: location.origin, credentials: 'same-origin', language, ...options }),
  ]);
  return Object.fromEntries(entries) as Record<Language, Anagrafe>;
}

/** The service that gave this page out, with sentences in the language that was chosen. */
export function useAnagrafe(): Anagrafe {
  return services[useLanguage().language];
}

/** The same for calls that are large, and whose progress is shown. */
export function usePatientAnagrafe(): Anagrafe {
  return patientServices[useLanguage().language];
}
