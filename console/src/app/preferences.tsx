import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { useLanguage } from '../i18n/language.tsx';
import { useCommonMessages } from '../i18n/messages.ts';
import { Icon, type IconName } from '../ui/icon.tsx';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly icon: IconName;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

/** An icon button with a menu that selects one option. */
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

/** The languages, each labelled in that language. */
const options = [
  { value: 'en', label: 'English' },
  { value: 'it', label: 'Italiano' },
] as const;

export function LanguageSwitch() {
  const messages = useCommonMessages();
  const { language, choose } = useLanguage();
  return (
    <Choice label={messages.language} icon="globe" options={options} value={language} onChoose={choose} />
  );
}

const schemes = ['light', 'dark', 'auto'] as const;
const icons = { light: 'sun', dark: 'moon', auto: 'screen' } as const;

export function SchemeSwitch() {
  const { scheme } = useCommonMessages();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Choice
      label={scheme.label}
      icon={icons[colorScheme]}
      options={schemes.map((value) => ({ value, label: scheme[value] }))}
      value={colorScheme}
      onChoose={setColorScheme}
    />
  );
}
