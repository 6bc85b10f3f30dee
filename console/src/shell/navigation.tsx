import { AppShell, Box, NavLink } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { useWords } from '../language/words.ts';
import { pages } from '../pages.ts';
import { Icon } from '../parts/icon.tsx';
import classes from './shell.module.css';
import { type SignedInClient, Who } from './who.tsx';

interface NavigationProps {
  readonly client: SignedInClient | null;
  /** Told when a page was chosen: on a phone the menu closes. */
  readonly onGone: () => void;
}

export function Navigation({ client, onGone }: NavigationProps) {
  const words = useWords();
  const [location] = useLocation();
  return (
    <>
      <AppShell.Section grow>
        {pages.map(({ path, name, icon }) => {
          const here = path === '/' ? location === '/' : location.startsWith(path);
          return (
            <NavLink
              key={path}
              component={Link}
              href={path}
              label={words.pages[name]}
              leftSection={<Icon name={icon} />}
              active={here}
              aria-current={here ? 'page' : undefined}
              className={classes.link ?? ''}
              onClick={onGone}
            />
          );
        })}
      </AppShell.Section>
      <AppShell.Section>
        <NavLink
          href="/docs"
          label={words.reference}
          leftSection={<Icon name="book" />}
          className={classes.link ?? ''}
        />
        {client && (
          <Box hiddenFrom="sm" pt="sm">
            <Who client={client} />
          </Box>
        )}
      </AppShell.Section>
    </>
  );
}
