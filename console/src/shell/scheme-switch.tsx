import { useMantineColorScheme } from '@mantine/core';
import { useWords } from '../language/words.ts';
import { Choice } from './choice.tsx';

const schemes = ['light', 'dark', 'auto'] as const;
const icons = { light: 'sun', dark: 'moon', auto: 'screen' } as const;

export function SchemeSwitch() {
  const { scheme } = useWords();
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
