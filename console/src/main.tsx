import '@mantine/core/styles.css';
import './app/styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app/app.tsx';
import { createQueryClient } from './app/query-client.ts';
import { styleNonce, theme, variables } from './app/theme.ts';
import { LanguageProvider } from './i18n/language.tsx';

const queries = createQueryClient();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no root');

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <LanguageProvider>
          <Router base="/console">
            <App />
          </Router>
        </LanguageProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
