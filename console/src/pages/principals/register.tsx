import { Alert, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type UserDraft, useRegister, useTrial } from '../../api/users.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useFaultFocus } from './fault-focus.ts';
import { elsewhere, faultsOf, isBesideFields, sentenceAt } from './faults.ts';
import { PasswordHandover } from './handover.tsx';
import { PasswordField } from './password-field.tsx';
import { useWords } from './words.ts';

const nobody: UserDraft = { Username: '', Email: '', Password: '' };
const placeOf = (field: keyof UserDraft) => `Users[0].${field}`;
const places = [placeOf('Username'), placeOf('Email'), placeOf('Password')];

/** Registers a user, and says what the service has against it while it is typed. */
export function Register({ principalId, onClose }: { principalId: number; onClose: () => void }) {
  const { register: words } = useWords();
  const [draft, setDraft] = useState(nobody);
  const [tried, setTried] = useState(false);
  const trial = useTrial(principalId, draft);
  const { mutate, data, variables, error, isPending, reset } = useRegister(principalId);
  const form = useFaultFocus(error);
  const faults = { ...trial.faults, ...faultsOf(error) };
  const registered = data && variables;

  function change(field: keyof UserDraft, text: string) {
    setDraft((before) => ({ ...before, [field]: text }));
    if (error) reset();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    mutate(draft);
  }

  /** What nobody has typed yet is not found fault with. */
  const faultAt = (field: keyof UserDraft) =>
    tried || draft[field] !== '' ? sentenceAt(faults, placeOf(field)) : undefined;
  const ofRecord = elsewhere(trial.faults, places);
  return (
    <Dialog
      title={registered ? words.done(registered.Username) : words.title}
      opened
      onClose={onClose}
      lasting={registered !== undefined || isPending}
    >
      {registered ? (
        <PasswordHandover username={registered.Username} password={registered.Password} onDone={onClose} />
      ) : (
        <form ref={form} onSubmit={submit} noValidate>
          <Stack>
            {ofRecord.length > 0 && (
              <Alert color="yellow" variant="light" role="status">
                {ofRecord.join(' ')}
              </Alert>
            )}
            <TextInput
              label={words.username}
              value={draft.Username}
              onChange={(event) => change('Username', event.currentTarget.value)}
              error={faultAt('Username')}
              readOnly={isPending}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              required
              withAsterisk={false}
              data-autofocus
            />
            <TextInput
              label={words.email}
              type="email"
              value={draft.Email}
              onChange={(event) => change('Email', event.currentTarget.value)}
              error={faultAt('Email')}
              readOnly={isPending}
              autoComplete="off"
            />
            <PasswordField
              value={draft.Password}
              onChange={(password) => change('Password', password)}
              error={faultAt('Password')}
              busy={isPending}
              taken={trial.current && draft.Password !== '' && !sentenceAt(faults, placeOf('Password'))}
            />
            {error && !isBesideFields(error, places) && <Failure error={error} />}
            <FormButtons submit={words.submit} busy={isPending} onCancel={onClose} />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
