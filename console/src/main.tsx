import './app/styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app/app.tsx';
import { createQueryClient } from './app/query-client.ts';
import { pageOf } from './app/routes.ts';
import { styleNonce, theme, variables } from './app/theme.ts';
import { interactiveClients } from './features/session/api-client.ts';
import { type Session, sessionKey, sessionQuery } from './features/session/session.ts';
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
  if (queries.getQueryData<Session>(sessionKey)?.State === 'signed-out') await import('./app/sign-in.tsx');
}

function render(container: HTMLElement): void {
  createRoot(container).render(
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
    </StrictMode>,
  );
}

// Without a top-level `await`: the pages may import from this module, and would wait for it in turn.
void prepare().then(() => render(root));
