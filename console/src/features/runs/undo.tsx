import { ApiError, type Run, type UpsertTuple } from '@anagrafe/client';
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useResultMessages, useRunsMessages } from '../../i18n/language.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Surface } from '../../ui/page.tsx';
import { ChangesTable, type ShownChange } from '../plans/changes-table.tsx';
import { JobProgress } from '../results/job-progress.tsx';
import { useMay } from '../session/session.ts';
import { type UndoPlan, useUndo, useUndoPlan } from './queries.ts';

interface UndoProps {
  readonly run: Run;
  readonly isPossible: boolean;
}

/** Shows what an undo of the run would do and keep, and applies exactly that after a confirmation. */
export function Undo({ run: { ID: id, UndoneAt, UndoneBy }, isPossible }: UndoProps) {
  const { undo: messages } = useRunsMessages();
  const { moment } = useFormats();
  const plan = useUndoPlan(id);
  const undo = useUndo(id);
  const show = () => {
    undo.reset();
    plan.mutate();
  };
  const isOutdated = undo.error instanceof ApiError && undo.error.code === 'PLAN_OUTDATED';
  const may = useMay();
  const start = (
    <Button
      variant="default"
      disabled={!isPossible || undo.isPending || undo.isSuccess}
      loading={plan.isPending}
      onClick={show}
    >
      {messages.show}
    </Button>
  );
  return (
    <Surface title={messages.title} actions={may('runs.undo') && start} flush>
      <Stack px="lg" pb="lg" gap="sm">
        <Text size="sm" c="dimmed">
          {isPossible ? messages.text : messages.impossible}
        </Text>
        {UndoneAt !== null && !undo.isSuccess && (
          <Text size="sm">{messages.before(moment(new Date(UndoneAt)), UndoneBy)}</Text>
        )}
        {plan.error && <Failure error={plan.error} />}
        {undo.isPending && undo.job && <JobProgress job={undo.job} />}
        {undo.data && plan.data && <Result job={undo.data} plan={plan.data} />}
        {undo.error && (
          <Failure
            error={undo.error}
            title={messages.failed}
            // A plan that no longer holds must be computed and confirmed again.
            onRetry={isOutdated || !plan.data ? show : () => plan.data && undo.mutate(plan.data)}
          />
        )}
      </Stack>
      {plan.data && !undo.isSuccess && (
        <Plan plan={plan.data} isBusy={undo.isPending} onConfirm={() => undo.mutate(plan.data)} />
      )}
    </Surface>
  );
}

interface PlanProps {
  readonly plan: UndoPlan;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
}

function Plan({ plan, isBusy, onConfirm }: PlanProps) {
  const { undo: messages } = useRunsMessages();
  const changes = useChanges(plan.tuples);
  const summary = useSummary(plan, changes);
  const isNothing = changes.every(({ action }) => action === 'keep' || action === 'fail');
  return (
    <>
      <Stack px="lg" pb="md" gap="sm" align="flex-start">
        <Text fw={600} role="status" tabIndex={-1} ref={focusOnMount}>
          {summary}
        </Text>
        <Button color="red" disabled={isNothing} loading={isBusy} onClick={onConfirm}>
          {messages.apply}
        </Button>
      </Stack>
      <ChangesTable caption={messages.caption} changes={changes} empty={messages.nothing} />
    </>
  );
}

interface ResultProps {
  readonly job: { readonly ID: string; readonly RecordsFailed: number };
  readonly plan: UndoPlan;
}

function Result({ job: { ID, RecordsFailed }, plan }: ResultProps) {
  const { undo: messages } = useRunsMessages();
  const { number } = useFormats();
  const changes = useChanges(plan.tuples);
  const summary = useSummary(plan, changes);
  const isWhole = RecordsFailed === 0;
  return (
    <Alert
      role="status"
      color={isWhole ? 'teal' : 'yellow'}
      variant="light"
      icon={<Icon name={isWhole ? 'check' : 'warning'} />}
      title={isWhole ? messages.done : messages.donePartly(number(RecordsFailed))}
    >
      <Group gap="xs" tabIndex={-1} ref={focusOnMount}>
        {isWhole && <Text size="sm">{summary}</Text>}
        <Anchor component={Link} href={`/jobs/${ID}`} size="sm" underline="always">
          {messages.records}
        </Anchor>
      </Group>
    </Alert>
  );
}

/** Counts what an undo does and what it keeps, in one line. */
function useSummary({ counts }: UndoPlan, changes: readonly ShownChange[]): string {
  const { undo: messages } = useRunsMessages();
  const { number } = useFormats();
  const count = (...actions: readonly ShownChange['action'][]) =>
    number(changes.filter(({ action }) => actions.includes(action)).length);
  return messages.summary({
    principalsDeleted: number(counts.PrincipalsDeleted ?? 0),
    usersDeleted: number(counts.UsersDeleted),
    restored: count('restore'),
    moved: number(counts.UsersMoved),
    kept: count('keep'),
    failed: count('fail'),
  });
}

/** Returns what an undo does, then what it keeps, of each principal and user. */
function useChanges(tuples: readonly UpsertTuple[]): readonly ShownChange[] {
  const { fields: labels } = useResultMessages();
  const { undo: messages } = useRunsMessages();
  return useMemo(() => {
    const noteOf = ({ Field, Reason }: { Field: string | null; Reason: keyof typeof messages.reasons }) => {
      const reason = messages.reasons[Reason];
      return Field === null ? reason : `${labels[Field] ?? Field}: ${reason}`;
    };
    return tuples.flatMap((tuple, at): ShownChange[] => {
      const { Item1: principalId, Item3: isPossible, Item4: error, Item6 } = tuple;
      const about = { principal: principalId === null ? '—' : null, principalId, username: null, fields: [] };
      if (!isPossible) return [{ ...about, key: `${at}`, action: 'fail', notes: [error ?? ''] }];
      const of = (
        key: string,
        user: { readonly username: string | null; readonly userId: number | null },
        done: 'delete' | 'move' | null,
        { Changes: fields = [], Kept = [] }: Pick<typeof Item6, 'Changes' | 'Kept'>,
      ): ShownChange[] => {
        const changes: ShownChange[] = [];
        const action = done ?? (fields.length > 0 ? 'restore' : null);
        if (action !== null) changes.push({ ...about, ...user, key, action, fields });
        const notes = Kept.map(noteOf);
        if (notes.length > 0) changes.push({ ...about, ...user, key: `${key} kept`, action: 'keep', notes });
        return changes;
      };
      return [
        ...of(
          `${at}`,
          { username: null, userId: null },
          Item6.Principal === 'deleted' ? 'delete' : null,
          Item6,
        ),
        ...(Item6.Users ?? []).flatMap((user, nth) => {
          const { Operation, Username: username, ID } = user;
          const done = Operation === 'delete' || Operation === 'move' ? Operation : null;
          return of(`${at} ${nth}`, { username, userId: username === null ? ID : null }, done, user);
        }),
      ];
    });
  }, [tuples, labels, messages]);
}
