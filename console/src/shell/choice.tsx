import { ActionIcon, Menu } from '@mantine/core';
import { Icon, type IconName } from '../parts/icon.tsx';

interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly icon?: IconName;
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly icon: IconName;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

/** One of a few, in a menu behind a button. */
export function Choice<Value extends string>({ label, icon, options, value, onChoose }: ChoiceProps<Value>) {
  return (
    <Menu position="bottom-end" width={190} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} title={label} c="inherit">
          <Icon name={icon} size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>
        {options.map((option) => (
          <Menu.Item
            key={option.value}
            role="menuitemradio"
            aria-checked={option.value === value}
            leftSection={option.icon && <Icon name={option.icon} />}
            rightSection={option.value === value && <Icon name="check" size={16} />}
            onClick={() => onChoose(option.value)}
          >
            {option.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
