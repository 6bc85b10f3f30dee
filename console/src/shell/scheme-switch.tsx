import { useMantineColorScheme } from '@mantine/core';
import { useWords } from '../language/words.ts';
import { Choice } from './choice.tsx';

const icons = { light: 'sun', dark: 'moon', auto: 'screen' } as const;

export function SchemeSwitch() {
  const { scheme } = useWords();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const options = (['light', 'dark', 'auto'] as const).map((value) => ({
    value,
    label: scheme[value],
    icon: icons[value],
  }));
  return (
    <Choice
      label={scheme.label}
      icon={icons[colorScheme]}
      options={options}
      value={colorScheme}
      onChoose={setColorScheme}
    />
  );
}
