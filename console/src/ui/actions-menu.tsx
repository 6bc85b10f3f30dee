import { Button, Menu } from '@mantine/core';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, IconButton } from './icon.tsx';

export interface Action {
  readonly name: string;
  /** Shows the action in red, below a divider. Destructive actions come last. */
  readonly isDestructive?: boolean;
  /** The page to open; an action without one has `onChoose`. */
  readonly href?: string;
  readonly onChoose?: () => void;
}

interface ActionsMenuProps {
  readonly label: string;
  readonly actions: readonly Action[];
  /** The button that opens the menu; without it, one with three dots. */
  readonly target?: ReactElement;
}

/** Shows nothing without an action. */
export function ActionsMenu({ label, actions, target }: ActionsMenuProps) {
  if (actions.length === 0) return null;
  const firstDestructive = actions.findIndex(({ isDestructive }) => isDestructive);
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>{target ?? <IconButton icon="more" label={label} />}</Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ name, isDestructive = false, href, onChoose }, at) => (
          <Fragment key={name}>
            {at === firstDestructive && at > 0 && <Menu.Divider />}
            {href === undefined ? (
              <Menu.Item onClick={onChoose} {...(isDestructive && { c: 'var(--mantine-color-error)' })}>
                {name}
              </Menu.Item>
            ) : (
              <Menu.Item component={Link} href={href}>
                {name}
              </Menu.Item>
            )}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function CreateButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={onClick}>
      {children}
    </Button>
  );
}
