import { ActionIcon, Menu } from '@mantine/core';
import { Icon, type IconName } from '../parts/icon.tsx';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly icon: IconName;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

/** One of a few, in a menu behind a button. */
export function Choice<Value extends string>({ label, icon, options, value, onChoose }: ChoiceProps<Value>) {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} title={label} c="inherit">
          <Icon name={icon} size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={value} onChange={(chosen) => onChoose(chosen as Value)}>
          {options.map((option) => (
            <Menu.RadioItem key={option.value} value={option.value} closeMenuOnClick>
              {option.label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
