import { ActionIcon, Kbd, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';
import { Finder } from './finder.tsx';
import classes from './open-finder.module.css';

const onMac = navigator.platform.startsWith('Mac');

/** The way to anywhere: a button, and its keys. */
export function OpenFinder() {
  const { finder } = useWords();
  const [opened, { open, close }] = useDisclosure(false);
  // Where someone is typing too: it is no letter.
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <UnstyledButton
        className={classes.wide ?? ''}
        onClick={open}
        visibleFrom="sm"
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" size={16} />
        <Text span size="sm">
          {finder.open}
        </Text>
        <Kbd size="xs">{onMac ? '⌘ K' : 'Ctrl K'}</Kbd>
      </UnstyledButton>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        c="inherit"
        aria-label={finder.open}
        onClick={open}
        hiddenFrom="sm"
      >
        <Icon name="search" size={20} />
      </ActionIcon>
      {opened && <Finder onClose={close} />}
    </>
  );
}
