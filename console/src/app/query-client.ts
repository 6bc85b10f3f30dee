import { ApiError } from '@anagrafe/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { endSession } from '../features/session/session.ts';

/** Creates the query client. A 401 on any query or mutation ends the session in the console, except on the sign-in. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) endSession(queries);
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      // A 401 on the sign-in means wrong keys, not an ended session.
      onError: (error, _variables, _result, mutation) => {
        if (mutation.options.mutationKey?.[0] !== 'sign-in') onError(error);
      },
    }),
    defaultOptions: {
      // The API client retries by itself. A service on localhost is reachable while the browser is offline.
      queries: { retry: false, networkMode: 'always', staleTime: 5_000 },
      // Variables and results may contain a password or a secret: the cache drops them when the form unmounts.
      mutations: { retry: false, networkMode: 'always', gcTime: 0 },
    },
  });
  return queries;
}
