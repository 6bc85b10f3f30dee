import { userFields } from '@anagrafe/client';
import { SimpleGrid, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { usePrincipalsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { type UserTextField, userTextFields } from './queries.ts';

interface UserFieldsProps {
  readonly inputProps: (field: 'Username' | UserTextField) => GetInputPropsReturnType;
  readonly errorAt: (field: 'Username' | UserTextField) => string | undefined;
  readonly busy: boolean;
  /** Returns the label of an optional field. Default: the name of the field. */
  readonly optionalLabel?: (label: string) => string;
  /** Further fields, after the texts. */
  readonly children?: ReactNode;
}

/** The inputs of the username and of all texts of a user. */
export function UserFields(props: UserFieldsProps) {
  const { inputProps, errorAt, busy, optionalLabel = String, children } = props;
  const { edit, columns } = useUsersMessages();
  const { userFields: labels } = usePrincipalsMessages();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label={columns.username}
        readOnly={busy}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
        data-autofocus
        {...inputProps('Username')}
        error={errorAt('Username')}
      />
      {userTextFields.map((field) => (
        <TextInput
          key={field}
          label={optionalLabel(labels[field])}
          type={userFields[field].format === 'email' ? 'email' : 'text'}
          readOnly={busy}
          autoComplete="off"
          {...(field === 'Language' && { placeholder: edit.languageHint })}
          {...inputProps(field)}
          error={errorAt(field)}
        />
      ))}
      {children}
    </SimpleGrid>
  );
}
