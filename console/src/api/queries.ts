import { ApiError } from '@anagrafe/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { endSession } from './session.ts';

/** What was read of the service. Whatever is answered with 401 shows that the session has ended. */
export function openQueries(): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) endSession(queries);
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      // Wrong keys at the sign-in end nothing.
      onError: (error, _variables, _result, mutation) => {
        if (mutation.options.mutationKey?.[0] !== 'sign-in') onError(error);
      },
    }),
    defaultOptions: {
      // The client has tried again already; and a service on this machine is there without a network.
      queries: { retry: false, networkMode: 'always', staleTime: 5_000 },
      // What was sent and what came back may be a password or a secret: nothing of it outlives the form that shows it.
      mutations: { retry: false, networkMode: 'always', gcTime: 0 },
    },
  });
  return queries;
}
