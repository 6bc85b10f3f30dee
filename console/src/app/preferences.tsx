import { useMantineColorScheme } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { languages, useCommonMessages, useLanguage } from '../i18n/language.tsx';
import { IconButton } from '../ui/icon.tsx';
import type { ChoiceProps } from './choice-menu.tsx';

const ChoiceMenu = lazy(async () => ({ default: (await import('./choice-menu.tsx')).ChoiceMenu }));

/** Loads the menu when it is opened for the first time. */
function Choice(props: ChoiceProps) {
  const { label, icon } = props;
  const [wasOpened, setWasOpened] = useState(false);
  const button = (
    <IconButton icon={icon} label={label} size={20} aria-haspopup="menu" onClick={() => setWasOpened(true)} />
  );
  return wasOpened ? (
    <Suspense fallback={button}>
      <ChoiceMenu {...props} />
    </Suspense>
  ) : (
    button
  );
}

/** Each language is named in that language. */
const languageNames = { en: 'English', it: 'Italiano' };

export function LanguageSwitch() {
  const messages = useCommonMessages();
  const { language, choose } = useLanguage();
  return (
    <Choice
      label={messages.language}
      icon="globe"
      options={languageNames}
      value={language}
      onChoose={(chosen) => choose(languages.find((one) => one === chosen) ?? language)}
    />
  );
}

const schemes = ['light', 'dark', 'auto'] as const;
const icons = { light: 'sun', dark: 'moon', auto: 'screen' } as const;

export function SchemeSwitch() {
  const { scheme } = useCommonMessages();
  const { label, ...options } = scheme;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Choice
      label={label}
      icon={icons[colorScheme]}
      options={options}
      value={colorScheme}
      onChoose={(chosen) => setColorScheme(schemes.find((one) => one === chosen) ?? 'auto')}
    />
  );
}
