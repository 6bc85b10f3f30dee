import { AppShell, Box } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { useFocusBack } from './focus-back.ts';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';
import type { SignedInClient } from './who.tsx';

/** What is around every page. */
export function Shell({ client, children }: { client: SignedInClient | null; children: ReactNode }) {
  const words = useWords();
  const [menu, { toggle, close }] = useDisclosure(false);
  useFocusBack();
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !menu } }}
      padding={{ base: 'md', sm: 'xl' }}
      withBorder={false}
    >
      <a className={classes.skip} href="#content">
        {words.skip}
      </a>
      <AppShell.Header className={classes.header}>
        <Header client={client} menu={menu} onMenu={toggle} />
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navbar}
        p="md"
        aria-label={words.navigation}
        data-closed={!menu || undefined}
      >
        <Navigation client={client} onGone={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <Box maw={1180} mx="auto">
          {children}
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}
