import { Menu } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { IconButton, type IconName } from '../ui/icon.tsx';

export interface ChoiceProps {
  readonly label: string;
  readonly icon: IconName;
  readonly options: Readonly<Record<string, string>>;
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

/** An icon button with a menu that selects one option. It replaces a button that was pressed, and opens at once. */
export function ChoiceMenu({ label, icon, options, value, onChoose }: ChoiceProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);

  useEffect(() => {
    // The menu returns the focus to the element that had it before.
    button.current?.focus();
    setOpened(true);
  }, []);

  return (
    <Menu position="bottom-end" width={200} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <IconButton label={label} icon={icon} size={20} ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={value} onChange={onChoose}>
          {Object.entries(options).map(([option, name]) => (
            <Menu.RadioItem key={option} value={option} closeMenuOnClick>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
