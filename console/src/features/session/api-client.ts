import { Anagrafe, type AnagrafeOptions } from '@anagrafe/client';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Language, languages, useLanguage } from '../../i18n/language.tsx';
import { confirmIdentity } from './confirmation.ts';

/** Short timeouts, because a person waits: after 25 s at most the page shows an error with a retry button. */
const interactiveTimeouts = { timeoutMs: 20_000, retries: 2, totalTimeoutMs: 25_000 };

/** API clients for the service that served this page, with messages in each language. */
export const interactiveClients = createClients(interactiveTimeouts);
const patientClients = createClients({});

function createClients(options: Partial<AnagrafeOptions>): Record<Language, Anagrafe> {
  const entries = languages.map((language) => [
    language,
    new Anagrafe({
      url: location.origin,
      credentials: 'same-origin',
      language,
      onConfirmationRequired: confirmIdentity,
      ...options,
    }),
  ]);
  return Object.fromEntries(entries) as Record<Language, Anagrafe>;
}

export function useAnagrafe(): Anagrafe {
  return interactiveClients[useLanguage().language];
}

/** Returns an API client with the default timeouts, for large calls whose progress is shown. */
export function usePatientAnagrafe(): Anagrafe {
  return patientClients[useLanguage().language];
}

/** Creates a mutation that invalidates these queries, or those that the function returns for its result. */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  stale: QueryKey | ((result: Result) => readonly QueryKey[]),
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result) => {
      const keys = typeof stale === 'function' ? stale(result) : [stale];
      for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
    },
  });
}
