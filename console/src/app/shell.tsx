import type { ConsoleSession } from '@anagrafe/client';
import { Alert, Anchor, Burger, Button, Kbd, Stack, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession, useSignOut } from '../features/session/session.ts';
import { useCommonMessages, usePeopleMessages } from '../i18n/language.tsx';
import { useFocusBack } from '../ui/focus.ts';
import { Icon } from '../ui/icon.tsx';
import { LanguageSwitch, SchemeSwitch } from './preferences.tsx';
import { pageOf, pagesFor } from './routes.ts';
import classes from './shell.module.css';

const Finder = lazy(async () => ({ default: (await import('./finder.tsx')).Finder }));

declare const __VERSION__: string;

export function Brand() {
  const { product } = useCommonMessages();
  return (
    <>
      <svg className={classes.mark} width={28} height={28} viewBox="0 0 32 32" aria-hidden="true">
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
      <span className={classes.name}>{product}</span>
    </>
  );
}

type Account = Pick<ConsoleSession, 'Client' | 'Operator'>;

/** The frame of every page: skip link, header and navigation. */
export function Shell({ account, children }: { account: Account; children: ReactNode }) {
  const messages = useCommonMessages();
  const [menu, { toggle, close }] = useDisclosure(false);
  useFocusBack();
  return (
    <>
      <a className={classes.skip} href="#content">
        {messages.skip}
      </a>
      <header className={classes.header}>
        <div className={classes.group}>
          <Burger
            opened={menu}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={menu ? messages.closeMenu : messages.openMenu}
            aria-expanded={menu}
          />
          <Link href="/" className={classes.home}>
            <Brand />
          </Link>
          {/* The version of the service that this console was built with; Vite inserts it at build time. */}
          <span className={classes.version}>{__VERSION__}</span>
        </div>
        <div className={classes.group}>
          <OpenFinder />
          <LanguageSwitch />
          <SchemeSwitch />
          <UserMenu {...account} place="header" />
        </div>
      </header>
      <nav className={classes.navbar} aria-label={messages.navigation} data-opened={menu || undefined}>
        <Navigation onGone={close} />
        <UserMenu {...account} place="navbar" />
      </nav>
      <main id="content" tabIndex={-1} className={classes.main}>
        <div className={classes.content}>{children}</div>
      </main>
    </>
  );
}

/** The links to all pages. `onGone` closes the menu of a phone. */
function Navigation({ onGone }: { onGone: () => void }) {
  const messages = useCommonMessages();
  const [location] = useLocation();
  const current = pageOf(location);
  const listed = pagesFor(useSession().data).filter(({ isUnlisted }) => !isUnlisted);
  return (
    <>
      <div className={classes.links}>
        {listed.map((page) => (
          <Link
            key={page.path}
            href={page.path}
            className={classes.link ?? ''}
            aria-current={page === current ? 'page' : undefined}
            onClick={onGone}
          >
            <Icon name={page.icon} />
            {messages.pages[page.name]}
          </Link>
        ))}
      </div>
      <a href="/docs" className={classes.link}>
        <Icon name="book" />
        {messages.reference}
      </a>
    </>
  );
}

/** The name of the signed-in account, with a sign-out button: in the navigation of a phone, else in the header. */
function UserMenu({ Client, Operator, place }: Account & { place: 'header' | 'navbar' }) {
  const messages = useCommonMessages();
  const { role } = usePeopleMessages();
  const signOut = useSignOut();
  const account = Operator ?? Client;
  // Protected mode has no sign-in.
  if (!account) return null;
  return (
    <div className={classes.user} data-place={place}>
      <Text
        size="sm"
        title={Operator ? `${Operator.Email} · ${role[Operator.Role]}` : Client?.PublicKey}
        maw={220}
        truncate
      >
        <Text span c="dimmed" size="sm">
          {messages.signedInAs}{' '}
        </Text>
        {Operator ? (
          <Anchor component={Link} href="/account" fw={600} size="sm" c="inherit">
            {account.Name}
          </Anchor>
        ) : (
          <Text span fw={600} size="sm">
            {account.Name}
          </Text>
        )}
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
    </div>
  );
}

const onMac = navigator.platform.startsWith('Mac');

/** The button and the keyboard shortcut (Ctrl+K or Cmd+K) that open the finder. */
function OpenFinder() {
  const { finder } = useCommonMessages();
  const [opened, { open, close }] = useDisclosure(false);
  // The empty list of ignored tags enables the shortcut inside text fields: it types no character.
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <button type="button" className={classes.finder} aria-keyshortcuts="Control+K Meta+K" onClick={open}>
        <Icon name="search" />
        <span className={classes.label}>{finder.open}</span>
        <Kbd size="xs" className={classes.wide ?? ''}>
          {onMac ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </button>
      {opened && (
        <Suspense>
          <Finder onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** Explains protected mode, which requires no sign-in, and leads to the first set-up. */
export function ProtectedBanner() {
  const messages = useCommonMessages().protected;
  return (
    <Alert title={messages.title} color="indigo" variant="light" icon={<Icon name="info" />} mb="lg">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" maw={820}>
          {messages.text}
        </Text>
        <Button size="xs" component={Link} href="/setup">
          {messages.action}
        </Button>
      </Stack>
    </Alert>
  );
}
