import { Burger, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { OpenFinder } from '../finder/open-finder.tsx';
import { useWords } from '../language/words.ts';
import { version } from '../version.ts';
import { LanguageSwitch } from './language-switch.tsx';
import { Mark } from './mark.tsx';
import { SchemeSwitch } from './scheme-switch.tsx';
import classes from './shell.module.css';
import { type SignedInClient, Who } from './who.tsx';

interface HeaderProps {
  readonly client: SignedInClient | null;
  readonly menu: boolean;
  readonly onMenu: () => void;
}

export function Header({ client, menu, onMenu }: HeaderProps) {
  const words = useWords();
  return (
    <Group h="100%" px={{ base: 'md', sm: 'lg' }} justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger
          opened={menu}
          onClick={onMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label={menu ? words.closeMenu : words.openMenu}
          aria-expanded={menu}
        />
        <Link href="/" className={classes.home}>
          <Mark />
          <Text fw={700} size="lg" component="span" className={classes.name ?? ''}>
            {words.product}
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
        {client && <Who client={client} visibleFrom="sm" />}
      </Group>
    </Group>
  );
}
