import type { AuditRow, DeliveryFailureDetails, DisabledReason, State } from '@anagrafe/client';
import type { AuditRowValues } from '../../i18n/en.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditRowMessages } from '../../i18n/language.tsx';
import { useClients } from '../clients/queries.ts';
import { useDisabledReason } from '../webhooks/failure-cause.ts';

const noUsernames: ReadonlyMap<number, string> = new Map();
/** Maximum number of users named in one sentence; the others are only counted. */
const namedUsers = 5;

/**
 * Returns a function that describes an audit row in the interface language; an unknown action is shown as its code.
 * `usernames` has user IDs as keys; a user without an entry is described by its ID.
 */
export function useDescribeAuditRow(usernames = noUsernames): (row: AuditRow) => string {
  const messages = useAuditRowMessages();
  const { number } = useFormats();
  const clients = useClients().data;
  const describeReason = useDisabledReason();
  const sentences: Readonly<Record<string, (values: AuditRowValues) => string>> = messages.actions;
  const nameOf = (id: number) => usernames.get(id) ?? messages.user(id);

  function formatUsers(ids: readonly number[]): string {
    const named = ids.slice(0, namedUsers).map(nameOf).join(', ');
    const others = ids.length - namedUsers;
    return others > 0 ? messages.andMore(named, others, number(others)) : named;
  }

  function describeRecord({ Action, Registered, Reset }: AuditRow): string {
    return joined([
      Action === 'insert' && messages.inserted,
      Registered && Registered.length > 0 && messages.registered(formatUsers(Registered)),
      Reset && Reset.length > 0 && messages.reset(formatUsers(Reset)),
    ]);
  }

  function describeStates({ Details }: AuditRow): string {
    const state = Details?.state as State | undefined;
    const changes = (Details?.users ?? []) as readonly (readonly [number, State])[];
    const changedTo = (next: 'disabled' | 'active') => {
      const ids = changes.filter(([, changed]) => changed === next).map(([id]) => id);
      return ids.length > 0 && messages.userState[next](formatUsers(ids));
    };
    const sentence = joined([
      state && messages.principalState[state],
      changedTo('disabled'),
      changedTo('active'),
    ]);
    return sentence || messages.sameState;
  }

  return (row) => {
    const { Action, IRID } = row;
    if (Action === 'insert' || Action === 'update') return describeRecord(row);
    if (Action === 'state') return describeStates(row);
    const details = row.Details ?? {};
    const values: AuditRowValues = {
      principal: IRID,
      details,
      user: typeof details.user === 'number' ? nameOf(details.user) : null,
      client: clients?.find(({ ID }) => ID === details.client)?.Name ?? String(details.publicKey),
      url: typeof details.url === 'string' ? ` (${details.url})` : '',
      why: details.reason ? describeReason(...disabledReasonIn(details)) : String(details.why ?? ''),
      count: (name) => number(Number(details[name] ?? 0)),
    };
    return sentences[Action]?.(values) ?? Action;
  };
}

function joined(sentences: readonly (string | false | null | undefined)[]): string {
  return sentences.filter(Boolean).join(' ');
}

/** Reads the reason and its values from the details of a `webhook.disabled` row. */
function disabledReasonIn(
  details: Readonly<Record<string, unknown>>,
): [DisabledReason, DeliveryFailureDetails] {
  const { reason, status = null, networkError = null, timeoutMs = null } = details;
  const values = { Status: status, NetworkError: networkError, TimeoutMs: timeoutMs };
  return [reason as DisabledReason, values as DeliveryFailureDetails];
}
