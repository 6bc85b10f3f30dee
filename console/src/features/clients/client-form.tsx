import type { Scope } from '@anagrafe/client';
import { Alert, Checkbox, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useClientsMessages } from '../../i18n/messages.ts';
import { FormButtons } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';

/** The editable properties of a client. */
export interface Choices {
  readonly Name: string;
  readonly Scopes: Scope[];
  readonly Networks: string[];
  readonly KnownByAddress: boolean;
}

interface ClientFormProps {
  readonly start: Choices;
  readonly submit: string;
  readonly busy: boolean;
  readonly error: Error | null;
  /** True for the client of the current console session: the form warns before it loses the scope `admin`. */
  readonly own?: boolean;
  readonly onSubmit: (choices: Choices) => void;
  readonly onCancel: () => void;
}

const scopes: readonly Scope[] = ['sync:write', 'sync:read', 'admin'];

export function ClientForm({ start, submit, busy, error, own = false, onSubmit, onCancel }: ClientFormProps) {
  const { form } = useClientsMessages();
  const [name, setName] = useState(start.Name);
  const [chosen, setChosen] = useState<Scope[]>(start.Scopes);
  const [networks, setNetworks] = useState(start.Networks.join('\n'));
  const [knownByAddress, setKnownByAddress] = useState(start.KnownByAddress);
  const [tried, setTried] = useState(false);

  function send(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (chosen.length === 0) return;
    const Networks = networks.split(/[\s,;]+/).filter((network) => network !== '');
    onSubmit({ Name: name, Scopes: chosen, Networks, KnownByAddress: knownByAddress });
  }

  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          label={form.name}
          description={form.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={255}
          required
          withAsterisk={false}
          data-autofocus
        />
        <Checkbox.Group
          label={form.scopes}
          value={chosen}
          onChange={(values) => setChosen(scopes.filter((scope) => values.includes(scope)))}
          error={tried && chosen.length === 0 && form.scopesMissing}
        >
          <Stack gap="xs" mt="xs">
            {scopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={form.scope[scope]} />
            ))}
          </Stack>
        </Checkbox.Group>
        {own && !chosen.includes('admin') && (
          <Alert color="yellow" variant="light" role="status">
            {form.ownScope}
          </Alert>
        )}
        <Textarea
          label={form.networks}
          description={form.networksHint}
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={6}
          spellCheck={false}
        />
        <Switch
          label={form.knownByAddress}
          description={form.knownByAddressHint}
          checked={knownByAddress}
          onChange={(event) => setKnownByAddress(event.currentTarget.checked)}
        />
        {error && <Failure error={error} />}
        <FormButtons submit={submit} busy={busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
