import { AppShell, Box, Burger, Button, Group, type MantineBreakpoint, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useSignOut } from '../features/session/session.ts';
import { useCommonMessages } from '../i18n/messages.ts';
import { useFocusBack } from '../ui/focus.ts';
import { Icon } from '../ui/icon.tsx';
import { OpenFinder } from './finder.tsx';
import { LanguageSwitch, SchemeSwitch } from './preferences.tsx';
import { pages } from './routes.ts';
import classes from './shell.module.css';

declare const __VERSION__: string;

/** The version of the service that this console was built with; Vite inserts it at build time. */
export const version = __VERSION__;

/** The logo, shown beside the product name. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg className={classes.mark} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#3b5bdb" />
      <path
        d="M8 24 16 7l8 17M11.3 17.5h9.4"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

export interface SignedInClient {
  readonly PublicKey: string;
  readonly Name: string;
}

interface UserMenuProps {
  readonly client: SignedInClient;
  readonly visibleFrom?: MantineBreakpoint;
}

/** The name of the signed-in client, with a sign-out button. */
export function UserMenu({ client, visibleFrom }: UserMenuProps) {
  const messages = useCommonMessages();
  const signOut = useSignOut();
  return (
    <Group gap="sm" wrap="nowrap" {...(visibleFrom && { visibleFrom })}>
      <Text size="sm" title={client.PublicKey} maw={220} truncate>
        <Text span c="dimmed" size="sm">
          {messages.signedInAs}{' '}
        </Text>
        <Text span fw={600} size="sm">
          {client.Name}
        </Text>
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="leave" size={15} />}
        loading={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        {messages.signOut}
      </Button>
    </Group>
  );
}

interface HeaderProps {
  readonly client: SignedInClient | null;
  readonly menu: boolean;
  readonly onMenu: () => void;
}

export function Header({ client, menu, onMenu }: HeaderProps) {
  const messages = useCommonMessages();
  return (
    <Group h="100%" px={{ base: 'md', sm: 'lg' }} justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger
          opened={menu}
          onClick={onMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label={menu ? messages.closeMenu : messages.openMenu}
          aria-expanded={menu}
        />
        <Link href="/" className={classes.home}>
          <Mark />
          <Text fw={700} size="lg" component="span" className={classes.name ?? ''}>
            {messages.product}
          </Text>
        </Link>
        <Text size="xs" c="dimmed" visibleFrom="xs">
          {version}
        </Text>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <OpenFinder />
        <LanguageSwitch />
        <SchemeSwitch />
        {client && <UserMenu client={client} visibleFrom="sm" />}
      </Group>
    </Group>
  );
}

interface NavigationProps {
  readonly client: SignedInClient | null;
  /** Called when a page is chosen, to close the menu of a phone. */
  readonly onGone: () => void;
}

export function Navigation({ client, onGone }: NavigationProps) {
  const messages = useCommonMessages();
  const [location] = useLocation();
  return (
    <>
      <AppShell.Section grow>
        {pages.map(({ path, name, icon }) => {
          const isCurrent = path === '/' ? location === '/' : location.startsWith(path);
          return (
            <NavLink
              key={path}
              component={Link}
              href={path}
              label={messages.pages[name]}
              leftSection={<Icon name={icon} />}
              active={isCurrent}
              aria-current={isCurrent ? 'page' : undefined}
              className={classes.link ?? ''}
              onClick={onGone}
            />
          );
        })}
      </AppShell.Section>
      <AppShell.Section>
        <NavLink
          href="/docs"
          label={messages.reference}
          leftSection={<Icon name="book" />}
          className={classes.link ?? ''}
        />
        {client && (
          <Box hiddenFrom="sm" pt="sm">
            <UserMenu client={client} />
          </Box>
        )}
      </AppShell.Section>
    </>
  );
}

/** The frame of every page: skip link, header and navigation. `client` is null if none is signed in. */
export function Shell({ client, children }: { client: SignedInClient | null; children: ReactNode }) {
  const messages = useCommonMessages();
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
        {messages.skip}
      </a>
      <AppShell.Header className={classes.header}>
        <Header client={client} menu={menu} onMenu={toggle} />
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navbar}
        p="md"
        aria-label={messages.navigation}
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
