import type { Principal } from '@anagrafe/client';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { FieldChanges } from '../results/field-changes.tsx';
import { idOfApplied, principalsKey, usePrincipalMutation } from '../results/record-mutation.ts';
import { useAnagrafe, usePatientAnagrafe } from '../session/api-client.ts';
import { nameOf } from '../users/find-principals.ts';
import { PrincipalPicker } from '../users/principal-picker.tsx';

/** Merges a principal into another one, after showing which values that one gets and which are dropped. */
export function MergePrincipal({ principal, onClose }: { principal: Principal; onClose: () => void }) {
  const { merge: messages } = usePrincipalsMessages();
  const notify = useNotice();
  const [, goTo] = useLocation();
  const [target, setTarget] = useState<Principal | null>(null);
  const { data: planned, error } = useMergePlan(principal.ID, target);
  const request = useMerge(principal.ID);
  return (
    <Dialog title={messages.title(nameOf(principal))} onClose={onClose} staysOpen={request.isPending}>
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault();
          if (!target || !planned?.plan) return;
          request.mutate(
            { target: target.ID, plan: planned.plan },
            {
              onSuccess: (id) => {
                notify(messages.done(nameOf(target)));
                goTo(`/principals/${id}`);
              },
            },
          );
        }}
        submit={messages.submit}
        color="red"
        request={request}
        onCancel={onClose}
        disabled={!planned?.plan}
      >
        <Text size="sm">{messages.text}</Text>
        <PrincipalPicker chosen={target} onChoose={setTarget} except={principal.ID} />
        {error && <Failure error={error} />}
        {target && planned && <MergeEffect planned={planned} target={target} users={principal.UsersCount} />}
      </DialogForm>
    </Dialog>
  );
}

type PlannedMerge = NonNullable<ReturnType<typeof useMergePlan>['data']>;

function MergeEffect(props: { planned: PlannedMerge; target: Principal; users: number }) {
  const { merge: messages } = usePrincipalsMessages();
  const { number } = useFormats();
  const { taken, dropped } = props.planned;
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">{messages.users(props.users, number(props.users), nameOf(props.target))}</Text>
      {taken.length > 0 && <Text size="sm">{messages.taken}</Text>}
      <FieldChanges changes={taken} />
      {dropped.length > 0 && <Text size="sm">{messages.dropped}</Text>}
      <FieldChanges changes={dropped} />
    </Stack>
  );
}

/** Plans a merge with a dry run. `dropped` are the values of the merged principal that differ from those that stay. */
function useMergePlan(source: number, target: Principal | null) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'merge', source, target?.ID],
    queryFn: async ({ signal }) => {
      const records = [{ ID: target?.ID ?? 0, From: { ID: source } }];
      const result = await anagrafe.merge(records, { dryRun: true, representation: true, signal });
      idOfApplied(result);
      const { Changes = [], Kept = [] } = result.tuples[0]?.Item6 ?? {};
      const staying: Readonly<Record<string, unknown>> = { ...target };
      const dropped = Kept.flatMap(({ Field, Other }) =>
        Field === null ? [] : [{ Field, From: Other ?? null, To: staying[Field] ?? null }],
      );
      return { plan: result.plan, taken: Changes, dropped };
    },
    enabled: target !== null,
    gcTime: 0,
  });
}

/** Applies exactly the merge that was planned. The mutation returns the ID of the principal that remains. */
function useMerge(source: number) {
  const anagrafe = usePatientAnagrafe();
  return usePrincipalMutation(async ({ target, plan }: { target: number; plan: string }, idempotencyKey) =>
    idOfApplied(
      await anagrafe.merge([{ ID: target, From: { ID: source } }], { ifMatch: plan, idempotencyKey }),
    ),
  );
}
