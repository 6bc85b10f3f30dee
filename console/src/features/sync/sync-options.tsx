import type { MissingPolicy, MissingPrincipalsPolicy } from '@anagrafe/importer';
import { NativeSelect, Stack, Switch } from '@mantine/core';
import { useImportMessages, useSyncMessages } from '../../i18n/language.tsx';
import { Surface } from '../../ui/page.tsx';
import { InvitesField } from '../invitations/channel-field.tsx';
import type { Channel } from '../invitations/queries.ts';

export interface SyncOptions {
  readonly missing: MissingPolicy;
  readonly missingPrincipals: MissingPrincipalsPolicy;
  readonly clearEmpty: boolean;
  /** Applies a principal without its users that have errors. */
  readonly isPartial: boolean;
  /** Creates principals that look like others. */
  readonly allowsSimilar: boolean;
  /** How each new user without a password is invited to set one; null if it is not. */
  readonly invites: Channel | null;
}

export const defaultOptions: SyncOptions = {
  missing: 'keep',
  missingPrincipals: 'report',
  clearEmpty: false,
  isPartial: false,
  allowsSimilar: false,
  invites: null,
};

interface OptionsProps {
  readonly options: SyncOptions;
  readonly onChange: (options: SyncOptions) => void;
}

export function Options({ options, onChange }: OptionsProps) {
  const { options: messages } = useSyncMessages();
  const { similar, similarHint } = useImportMessages().options;
  const { missing, missingPrincipals, clearEmpty, isPartial, allowsSimilar } = options;
  return (
    <Surface title={messages.title}>
      <Stack>
        <NativeSelect
          label={messages.missing}
          description={messages.missingHint}
          value={missing}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...options, missing: value as SyncOptions['missing'] })
          }
          data={(['keep', 'disable', 'delete'] as const).map((value) => ({
            value,
            label: messages.actions[value],
          }))}
          maw={420}
        />
        <NativeSelect
          label={messages.missingPrincipals}
          description={messages.missingPrincipalsHint}
          value={missingPrincipals}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...options, missingPrincipals: value as SyncOptions['missingPrincipals'] })
          }
          data={(['report', 'keep', 'disable'] as const).map((value) => ({
            value,
            label: messages.principalActions[value],
          }))}
          maw={420}
        />
        <InvitesField value={options.invites} onChange={(invites) => onChange({ ...options, invites })} />
        <Switch
          label={messages.clearEmpty}
          description={messages.clearEmptyHint}
          checked={clearEmpty}
          onChange={({ currentTarget: { checked } }) => onChange({ ...options, clearEmpty: checked })}
        />
        <Switch
          label={messages.partial}
          description={messages.partialHint}
          checked={isPartial}
          onChange={({ currentTarget: { checked } }) => onChange({ ...options, isPartial: checked })}
        />
        <Switch
          label={similar}
          description={similarHint}
          checked={allowsSimilar}
          onChange={({ currentTarget: { checked } }) => onChange({ ...options, allowsSimilar: checked })}
        />
      </Stack>
    </Surface>
  );
}
