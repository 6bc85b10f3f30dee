import { Radio, Stack, Switch } from '@mantine/core';
import { useImportMessages } from '../../i18n/language.tsx';
import { Surface } from '../../ui/page.tsx';

export interface ImportOptions {
  /** `create` refuses rows that differ from what is stored; `update` changes what is stored. */
  readonly mode: 'create' | 'update';
  /** Generates a password for each new user without a password and without a password hash. */
  readonly generatesPasswords: boolean;
}

export const defaultOptions: ImportOptions = { mode: 'create', generatesPasswords: false };

interface OptionsProps {
  readonly options: ImportOptions;
  readonly onChange: (options: ImportOptions) => void;
}

export function Options({ options, onChange }: OptionsProps) {
  const { options: messages } = useImportMessages();
  return (
    <Surface title={messages.title}>
      <Stack>
        <Radio.Group
          label={messages.mode}
          value={options.mode}
          onChange={(mode) => onChange({ ...options, mode: mode === 'update' ? 'update' : 'create' })}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="create" label={messages.create} description={messages.createHint} />
            <Radio value="update" label={messages.update} description={messages.updateHint} />
          </Stack>
        </Radio.Group>
        <Switch
          label={messages.passwords}
          description={messages.passwordsHint}
          checked={options.generatesPasswords}
          onChange={({ currentTarget: { checked } }) => onChange({ ...options, generatesPasswords: checked })}
        />
      </Stack>
    </Surface>
  );
}
