import type { AuditRow, DeliveryFailureDetails, DisabledReason, State } from '@anagrafe/client';
import type { AuditRowValues, Messages } from '../../i18n/en.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditRowMessages } from '../../i18n/messages.ts';
import { useClients } from '../clients/queries.ts';
import { useDisabledReason } from '../webhooks/failure-cause.ts';

/** Known usernames by user ID. A user without an entry is described by its ID. */
export type Usernames = ReadonlyMap<number, string>;

type AuditRowMessages = Messages['auditRow'];
type FormatUsers = (ids: readonly number[]) => string;

const noUsernames: Usernames = new Map();
/** Maximum number of users named in one sentence; the others are only counted. */
const namedUsers = 5;

/** Returns a function that describes an audit row in the interface language; an unknown action is shown as its code. */
export function useDescribeAuditRow(usernames: Usernames = noUsernames): (row: AuditRow) => string {
  const messages = useAuditRowMessages();
  const { number } = useFormats();
  const clients = useClients().data;
  const describeReason = useDisabledReason();
  const sentences: Readonly<Record<string, (values: AuditRowValues) => string>> = messages.deeds;
  const nameOf = (id: number) => usernames.get(id) ?? messages.user(id);

  const formatUsers: FormatUsers = (ids) => {
    const named = ids.slice(0, namedUsers).map(nameOf).join(', ');
    const others = ids.length - namedUsers;
    return others > 0 ? messages.andMore(named, others, number(others)) : named;
  };

  return (row) => {
    const { Action, IRID } = row;
    if (Action === 'insert' || Action === 'update') return describeRecord(row, messages, formatUsers);
    if (Action === 'state') return describeStates(row, messages, formatUsers);
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

/** Reads the reason and its values from the details of a `webhook.disabled` row. */
function disabledReasonIn(
  details: Readonly<Record<string, unknown>>,
): [DisabledReason, DeliveryFailureDetails] {
  const { reason, status = null, networkError = null, timeoutMs = null } = details;
  const values = { Status: status, NetworkError: networkError, TimeoutMs: timeoutMs };
  return [reason as DisabledReason, values as DeliveryFailureDetails];
}

function describeRecord(
  { Action, Registered, Reset }: AuditRow,
  messages: AuditRowMessages,
  formatUsers: FormatUsers,
): string {
  const sentences = [
    Action === 'insert' && messages.inserted,
    Registered && Registered.length > 0 && messages.registered(formatUsers(Registered)),
    Reset && Reset.length > 0 && messages.reset(formatUsers(Reset)),
  ];
  return sentences.filter(Boolean).join(' ');
}

function describeStates({ Details }: AuditRow, messages: AuditRowMessages, formatUsers: FormatUsers): string {
  const state = Details?.state as State | undefined;
  const changes = (Details?.users ?? []) as readonly (readonly [number, State])[];
  const changedTo = (wanted: State) => changes.filter(([, next]) => next === wanted).map(([id]) => id);
  const sentences = [
    state && messages.principalState[state],
    ...(['disabled', 'active'] as const).map((next) => {
      const ids = changedTo(next);
      return ids.length > 0 && messages.userState[next](formatUsers(ids));
    }),
  ];
  return sentences.filter(Boolean).join(' ') || messages.sameState;
}
