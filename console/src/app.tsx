import { Center, Container, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useWatchedSession } from './api/session-watch.ts';
import { useWords } from './language/words.ts';
import { pages } from './pages.ts';
import { Boundary } from './parts/boundary.tsx';
import { Failure } from './parts/failure.tsx';
import { NoticeProvider } from './parts/notice.tsx';
import { Kept } from './shell/kept.tsx';
import { Lost } from './shell/lost.tsx';
import { ProtectedBanner } from './shell/protected-banner.tsx';
import { Shell } from './shell/shell.tsx';
import { Standing } from './shell/standing.tsx';
import { FirstClient } from './sign-in/first-client.tsx';
import { SignIn } from './sign-in/sign-in.tsx';

const staying = pages.filter(({ stays }) => stays);

/**
 * The sign-in, or the page that the address names. The address stays: whoever signs in is where they were, and the client whose session
 * has ended finds the page as it was left.
 */
export function App() {
  const words = useWords();
  const session = useWatchedSession();
  const [path] = useLocation();
  const [creating, { open, close }] = useDisclosure(false);

  // Where nobody answers any more, the page stays as it is.
  if (!session.data) {
    if (!session.error) return <Waiting label={words.opening} />;
    return (
      <Container size="sm" py="xl">
        <Failure error={session.error} onRetry={session.refetch} />
      </Container>
    );
  }
  const { State, Client, visit, notSignedOut = null } = session.data;
  const away = State === 'signed-out';
  return (
    <>
      {visit && (
        <Kept key={visit.key} away={away}>
          <NoticeProvider>
            <Shell client={Client}>
              {State === 'protected' && <ProtectedBanner onCreate={open} />}
              {staying.map(({ path: own, Show }) => (
                <Standing key={own} path={own}>
                  <Boundary>
                    <Suspense fallback={<Waiting label={words.loading} />}>
                      <Show />
                    </Suspense>
                  </Boundary>
                </Standing>
              ))}
              <Boundary key={path}>
                <Suspense fallback={<Waiting label={words.loading} />}>
                  <Switch>
                    {pages.map(({ path: own, route, stays, Show }) => (
                      <Route key={own} path={route ?? own}>
                        {!stays && <Show />}
                      </Route>
                    ))}
                    <Route component={Lost} />
                  </Switch>
                </Suspense>
              </Boundary>
            </Shell>
          </NoticeProvider>
        </Kept>
      )}
      {away && <SignIn ended={visit !== null} notSignedOut={notSignedOut} />}
      {/* Outside of what depends on the session: its secret must stay to be seen whatever becomes of that. */}
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
