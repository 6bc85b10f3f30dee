import type { AuditChange, AuditRow } from '@anagrafe/client';
import { Box, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditMessages, useAuditRowMessages, useResultMessages } from '../../i18n/language.tsx';
import { useFailureSentence } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { FieldChanges, useValueText } from '../results/field-changes.tsx';
import { useAnagrafe } from '../session/api-client.ts';
import { type Restored, useRestore } from './restore.ts';

interface ChangedValuesProps {
  readonly row: AuditRow;
  /** The user whose values are shown; without it, those of the principal and of all users of the row. */
  readonly user?: number | undefined;
  readonly usernames: ReadonlyMap<number, string>;
}

/** Maximum number of values that are shown before a click. */
const shownFirst = 5;
const usersPerPage = 100;

/** The old and new values of the fields that an audit row has changed, each with a button that restores the old one. */
export function ChangedValues({ row, user, usernames }: ChangedValuesProps) {
  const { values: messages } = useAuditMessages();
  const { user: unnamed } = useAuditRowMessages();
  const { number } = useFormats();
  const { changes, isComplete, load } = useChangedValues(row, user);
  const [showsAll, setShowsAll] = useState(false);
  const { fields } = useResultMessages();
  const valueText = useValueText();
  const { mutate, data, variables, error, isPending } = useRestore(row.IRID ?? 0);
  const describeFailure = useFailureSentence();
  const failure = error ?? load.error;
  const notify = useNotice();
  if (changes.length === 0 && isComplete) return null;
  const shown = showsAll ? changes : changes.slice(0, shownFirst);
  const ownerOf = ({ UserID }: AuditChange) =>
    UserID === null || user !== undefined ? null : (usernames.get(UserID) ?? unnamed(UserID));
  const labelOf = (change: AuditChange) => {
    const label = fields[change.Field] ?? change.Field;
    const owner = ownerOf(change);
    return owner === null ? label : `${owner}, ${label}`;
  };
  const restore = (change: AuditChange) =>
    mutate(change, {
      onSuccess: (result) => result === 'restored' && notify(messages.restored(labelOf(change))),
    });
  const describe = (result: Exclude<Restored, 'restored'>, { Field }: AuditChange) =>
    typeof result === 'string' ? messages[result] : messages.changed(valueText(Field, result.present));
  return (
    <Box mt={4}>
      <FieldChanges
        changes={shown.map((change) => ({
          Field: change.Field,
          From: change.Old,
          To: change.New,
          owner: ownerOf(change),
          // An alias becomes one again only by an undo of the run.
          action: change.Field !== 'Aliases' && (
            <Button
              size="compact-xs"
              mih={24}
              variant="default"
              aria-label={`${messages.restore}: ${labelOf(change)}`}
              loading={isPending && variables === change}
              onClick={() => restore(change)}
            >
              {messages.restore}
            </Button>
          ),
        }))}
      />
      {shown.length < changes.length && (
        <Button size="compact-xs" mih={24} variant="subtle" onClick={() => setShowsAll(true)}>
          {messages.all(number(changes.length))}
        </Button>
      )}
      {shown.length === changes.length && !isComplete && (
        <Button
          size="compact-xs"
          mih={24}
          variant="subtle"
          loading={load.isPending}
          onClick={() => load.mutate()}
        >
          {messages.more}
        </Button>
      )}
      <Text size="sm" c="var(--mantine-color-error)" role="alert">
        {data && data !== 'restored' && `${labelOf(variables)}: ${describe(data, variables)}`}
        {failure && describeFailure(failure)}
      </Text>
    </Box>
  );
}

/** Returns the changed values that an audit row contains, and loads the others, which a row of many users does not. */
function useChangedValues(row: AuditRow, user: number | undefined) {
  const { admin } = useAnagrafe();
  const isOf = ({ UserID }: AuditChange) => user === undefined || UserID === user;
  const [later, setLater] = useState<{ changes: readonly AuditChange[]; more: boolean } | null>(null);
  const changes = [...row.Changes, ...(later?.changes ?? [])];
  const last = changes.at(-1);
  const load = useMutation({
    mutationFn: () => {
      const after = user !== undefined ? user - 1 : last ? (last.UserID ?? 0) : null;
      const pageSize = user === undefined ? usersPerPage : 1;
      return admin.audit.changes(row.Position, { pageSize }).page(after);
    },
    onSuccess: ({ records, more }) =>
      setLater((before) => ({
        changes: [...(before?.changes ?? []), ...records],
        more: more && user === undefined,
      })),
  });
  const found = changes.filter(isOf);
  const mayHaveMore = later?.more ?? row.MoreChanges;
  return { changes: found, isComplete: !mayHaveMore || (user !== undefined && found.length > 0), load };
}
