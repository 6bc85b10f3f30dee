import { Button, Center, Container, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useWatchedSession } from '../features/session/watch-session.ts';
import { useCommonMessages } from '../i18n/messages.ts';
import { Boundary, Failure } from '../ui/loading-or-error.tsx';
import { NoticeProvider } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { HiddenWhileSignedOut, KeepAlive } from './keep-alive.tsx';
import { FirstClient, ProtectedBanner } from './protected-mode.tsx';
import { pages } from './routes.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

export function NotFound() {
  const { lost } = useCommonMessages();
  return (
    <Page title={lost.title} intro={lost.text}>
      <div>
        <Button component={Link} href="/">
          {lost.action}
        </Button>
      </div>
    </Page>
  );
}

const keptPages = pages.filter(({ stays }) => stays);

/**
 * Shows the sign-in or the page of the current URL. Signing in does not change the URL, and a client whose session has
 * ended finds the page unchanged when it signs in again.
 */
export function App() {
  const messages = useCommonMessages();
  const session = useWatchedSession();
  const [path] = useLocation();
  const [creating, { open, close }] = useDisclosure(false);

  // Only the first load can end here: when a later refetch fails, the query keeps its data and the page stays.
  if (!session.data) {
    if (!session.error) return <Waiting label={messages.opening} />;
    return (
      <Container size="sm" py="xl">
        <Failure error={session.error} onRetry={session.refetch} />
      </Container>
    );
  }
  const { State, Client, visit, notSignedOut = null } = session.data;
  const isSignedOut = State === 'signed-out';
  return (
    <>
      {visit && (
        <HiddenWhileSignedOut key={visit.key} away={isSignedOut}>
          <NoticeProvider>
            <Shell client={Client}>
              {State === 'protected' && <ProtectedBanner onCreate={open} />}
              {keptPages.map(({ path: pagePath, Show }) => (
                <KeepAlive key={pagePath} path={pagePath}>
                  <Boundary>
                    <Suspense fallback={<Waiting label={messages.loading} />}>
                      <Show />
                    </Suspense>
                  </Boundary>
                </KeepAlive>
              ))}
              <Boundary key={path}>
                <Suspense fallback={<Waiting label={messages.loading} />}>
                  <Switch>
                    {pages.map(({ path: pagePath, route, stays, Show }) => (
                      <Route key={pagePath} path={route ?? pagePath}>
                        {!stays && <Show />}
                      </Route>
                    ))}
                    <Route component={NotFound} />
                  </Switch>
                </Suspense>
              </Boundary>
            </Shell>
          </NoticeProvider>
        </HiddenWhileSignedOut>
      )}
      {isSignedOut && <SignIn ended={visit !== null} notSignedOut={notSignedOut} />}
      {/* Outside the part that depends on the session: the new secret stays visible even if the session ends. */}
      <FirstClient opened={creating} onClose={close} />
    </>
  );
}

function Waiting({ label }: { label: string }) {
  return (
    <Center mih={240} role="status" aria-label={label}>
      <Loader type="dots" aria-hidden />
    </Center>
  );
}
