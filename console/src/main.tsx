import './app/styles.css';
import { ApiError } from '@anagrafe/client';
import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app/app.tsx';
import { pageOf } from './app/routes.ts';
import { styleNonce, theme, variables } from './app/theme.ts';
import { interactiveClients } from './features/session/api-client.ts';
import { currentSession, expireSession, sessionQuery } from './features/session/session.ts';
import { LanguageProvider, loadMessages, rememberedLanguage } from './i18n/language.tsx';

const base = '/console';
const queries = createQueryClient();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no root');

/** Loads what the first view needs, at the same time. The page shows what is in `index.html` meanwhile. */
async function prepare(): Promise<void> {
  const language = rememberedLanguage();
  const path = location.pathname.slice(base.length) || '/';
  await Promise.all([
    loadMessages(language),
    queries.prefetchQuery(sessionQuery(queries, interactiveClients[language])),
    // A page that cannot be loaded shows its error when it is rendered.
    pageOf(path)
      ?.preload()
      .catch(() => undefined),
  ]);
  if (currentSession(queries)?.State === 'signed-out') await import('./app/sign-in.tsx');
}

/** Creates the query client. A 401 on any query or mutation ends the session in the console, except on the sign-in. */
function createQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) expireSession(queries);
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

function render(container: HTMLElement): void {
  const app = (
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        getStyleNonce={() => styleNonce}
      >
        <QueryClientProvider client={queries}>
          <LanguageProvider>
            <Router base={base}>
              <App />
            </Router>
          </LanguageProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
  // A transition renders in slices of a few milliseconds, so that the first render does not block input.
  startTransition(() => createRoot(container).render(app));
}

// Without a top-level `await`: the pages may import from this module, and would wait for it in turn.
void prepare().then(() => render(root));
