import type { WriteRules } from '@anagrafe/importer';
import { Radio, Stack, Switch } from '@mantine/core';
import { useImportMessages } from '../../i18n/language.tsx';
import { Surface } from '../../ui/page.tsx';
import { InvitesField } from '../invitations/channel-field.tsx';
import type { Channel } from '../invitations/queries.ts';

export interface ImportOptions {
  /** `create` refuses rows that differ from what is stored; `update` changes what is stored. */
  readonly mode: 'create' | 'update';
  /** Generates a password for each new user without a password and without a password hash. */
  readonly generatesPasswords: boolean;
  /** How each new user without a password is invited to set one; null if it is not. */
  readonly invites: Channel | null;
  /** Creates principals that look like others. Otherwise their rows have errors. */
  readonly allowsSimilar: boolean;
}

export const defaultOptions: ImportOptions = {
  mode: 'create',
  generatesPasswords: false,
  invites: null,
  allowsSimilar: false,
};

/** Returns how the service applies the records of an import. The console moves no users. */
export function rulesOf({ mode, allowsSimilar }: Pick<ImportOptions, 'mode' | 'allowsSimilar'>): WriteRules {
  return {
    existing: mode === 'update' ? 'update' : 'refuse',
    similar: allowsSimilar ? 'allow' : 'refuse',
    moves: 'refuse',
  };
}

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
          onChange={({ currentTarget: { checked } }) =>
            onChange({ ...options, generatesPasswords: checked, ...(checked && { invites: null }) })
          }
        />
        <InvitesField
          value={options.invites}
          // A user gets a password or chooses one.
          onChange={(invites) =>
            onChange({ ...options, invites, ...(invites && { generatesPasswords: false }) })
          }
        />
        <Switch
          label={messages.similar}
          description={messages.similarHint}
          checked={options.allowsSimilar}
          onChange={({ currentTarget: { checked } }) => onChange({ ...options, allowsSimilar: checked })}
        />
      </Stack>
    </Surface>
  );
}
