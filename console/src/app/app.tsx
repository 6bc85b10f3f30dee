import { Container } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ComponentType, lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { ConfirmIdentity } from '../features/session/confirm-identity.tsx';
import { useIdleLock } from '../features/session/idle-lock.ts';
import { useWatchedSession } from '../features/session/watch-session.ts';
import { OpenFirstClient } from '../features/setup/open-first-client.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { Boundary, Failure } from '../ui/loading-or-error.tsx';
import { NoticeProvider } from '../ui/notice.tsx';
import { NotFound } from '../ui/page.tsx';
import { HiddenWhileSignedOut, KeepAlive } from './keep-alive.tsx';
import { pagesFor } from './routes.ts';
import { ProtectedBanner, Shell } from './shell.tsx';

const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }));
const SetPassword = lazy(async () => ({ default: (await import('./set-password.tsx')).SetPassword }));
const RequiredSecondFactor = lazy(async () => ({
  default: (await import('./required-second-factor.tsx')).RequiredSecondFactor,
}));
const FirstClient = lazy(async () => ({ default: (await import('./first-client.tsx')).FirstClient }));

/**
 * Shows the sign-in or the page of the current URL. Signing in does not change the URL, and a client or operator whose
 * session has ended finds the page unchanged when it signs in again.
 */
export function App() {
  const messages = useCommonMessages();
  const session = useWatchedSession();
  const [path] = useLocation();
  const pages = pagesFor(session.data);
  useIdleLock();
  const [creating, { open, close }] = useDisclosure(false);

  // Only the first load can end here: when a later refetch fails, the query keeps its data and the page stays.
  if (!session.data) {
    if (!session.error) return <Loading label={messages.opening} />;
    return (
      <Container size="sm" py="xl">
        <Failure error={session.error} onRetry={session.refetch} />
      </Container>
    );
  }
  const { State, Operator, clientSession } = session.data;
  const isSignedOut = State === 'signed-out';
  const first =
    path === '/password' ? SetPassword : Operator?.NeedsSecondFactor ? RequiredSecondFactor : null;
  if (first) return <PageFrame component={first} />;
  return (
    <>
      {clientSession && (
        <HiddenWhileSignedOut key={clientSession.key} isSignedOut={isSignedOut}>
          <NoticeProvider>
            <OpenFirstClient value={open}>
              <Shell account={clientSession.account}>
                {State === 'protected' && path !== '/setup' && <ProtectedBanner />}
                {pages
                  .filter(({ stays }) => stays)
                  .map(({ path: pagePath, component: componentOf }) => (
                    <KeepAlive key={pagePath} path={pagePath}>
                      <PageFrame component={componentOf()} />
                    </KeepAlive>
                  ))}
                <Switch>
                  {pages.map(({ path: pagePath, hasDetail, stays, component: componentOf }) => (
                    <Route key={pagePath} path={hasDetail ? `${pagePath}/:id?` : pagePath}>
                      {!stays && <PageFrame key={path} component={componentOf()} />}
                    </Route>
                  ))}
                  <Route>
                    <NotFound />
                  </Route>
                </Switch>
              </Shell>
            </OpenFirstClient>
            <ConfirmIdentity />
          </NoticeProvider>
        </HiddenWhileSignedOut>
      )}
      {isSignedOut && (
        <Boundary>
          <Suspense fallback={<Loading label={messages.loading} />}>
            <SignIn session={session.data} />
          </Suspense>
        </Boundary>
      )}
      {/* Outside the part that depends on the session: the new secret stays visible even if the session ends. */}
      {creating && (
        <Suspense>
          <FirstClient onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function PageFrame({ component: Page }: { component: ComponentType }) {
  const { loading } = useCommonMessages();
  return (
    <Boundary>
      <Suspense fallback={<Loading label={loading} />}>
        <Page />
      </Suspense>
    </Boundary>
  );
}

function Loading({ label }: { label: string }) {
  return <div role="status" aria-label={label} style={{ minHeight: '100vh' }} />;
}
