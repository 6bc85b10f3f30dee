import type { AuditRow, DeliveryFailureDetails, DisabledReason, State } from '@anagrafe/client';
import type { AuditRowValues } from '../../i18n/en.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditRowMessages, useResultMessages } from '../../i18n/language.tsx';
import { useClients } from '../clients/queries.ts';
import { useDisabledReason } from '../webhooks/failure-cause.ts';

const noUsernames: ReadonlyMap<number, string> = new Map();
/** Maximum number of users named in one sentence; the others are only counted. */
const namedUsers = 5;

/** The actions of rows about one principal and its users. */
const recordActions: readonly string[] = ['insert', 'update', 'state', 'delete'];

/** A change of a user as the details of a row contain it: its ID, the names of its changed fields and its new state. */
type StoredChange = readonly [id: number, changed: readonly string[], state?: State];

interface ChangedUser {
  readonly id: number;
  /** The names of the changed fields without `State`. */
  readonly fields: readonly string[];
  readonly state: State | undefined;
}

function changedUser([id, changed, state]: StoredChange): ChangedUser {
  return { id, fields: withoutState(changed), state };
}

function withoutState(fields: readonly string[]): readonly string[] {
  return fields.filter((field) => field !== 'State');
}

/**
 * Returns a function that describes an audit row in the interface language; an unknown action is shown as its code.
 * `usernames` has user IDs as keys; a user without an entry is described by its ID.
 */
export function useDescribeAuditRow(usernames = noUsernames): (row: AuditRow) => string {
  const messages = useAuditRowMessages();
  const { fields: fieldLabels } = useResultMessages();
  const { number } = useFormats();
  const clients = useClients().data;
  const describeReason = useDisabledReason();
  const sentences: Readonly<Record<string, (values: AuditRowValues) => string>> = messages.actions;
  const labels = (fields: readonly string[]) => fields.map((field) => fieldLabels[field] ?? field).join(', ');
  const nameOf = (id: number) => usernames.get(id) ?? messages.user(id);

  function formatUsers(ids: readonly number[]): string {
    const named = ids.slice(0, namedUsers).map(nameOf).join(', ');
    const others = ids.length - namedUsers;
    return others > 0 ? messages.andMore(named, others, number(others)) : named;
  }

  /** Formats the users whose fields other than the state have changed: "mario.rossi (Email, Phone)". */
  function formatChanges(changes: readonly ChangedUser[]): string {
    const edited = changes.filter(({ fields }) => fields.length > 0);
    const named = edited.slice(0, namedUsers).map(({ id, fields }) => `${nameOf(id)} (${labels(fields)})`);
    const others = edited.length - namedUsers;
    return others > 0 ? messages.andMore(named.join(', '), others, number(others)) : named.join(', ');
  }

  function describeRecord({ Action, Registered, Reset, Deleted, Details }: AuditRow): string {
    const fields = withoutState((Details?.changed ?? []) as readonly string[]);
    const state = Details?.state as State | undefined;
    const changes = ((Details?.users ?? []) as readonly StoredChange[]).map(changedUser);
    const invited = ((Details?.invited ?? []) as readonly (readonly [number, string])[]).map(([id]) => id);
    const edited = formatChanges(changes);
    const changedTo = (next: State) => {
      const ids = changes.filter((change) => change.state === next).map(({ id }) => id);
      return ids.length > 0 && messages.userState[next](formatUsers(ids));
    };
    const users = (ids: readonly number[] | null, sentence: (users: string) => string) =>
      ids && ids.length > 0 && sentence(formatUsers(ids));
    const sentence = joined([
      Action === 'insert' && messages.inserted,
      Action === 'delete' && messages.deleted,
      fields.length > 0 && messages.changed(labels(fields)),
      Action !== 'insert' && state && messages.principalState[state],
      users(Registered, messages.registered),
      users(Reset, messages.reset),
      users(invited, messages.invited),
      edited !== '' && messages.userChanged(edited),
      changedTo('disabled'),
      changedTo('active'),
      users(Deleted, messages.userDeleted),
      ...mergedWith(Details),
      ...movedBy('moved', Details?.moved),
      ...movedBy('movedAway', Details?.movedAway),
    ]);
    return sentence || messages.sameState;
  }

  /** Describes that another principal was merged into this one, or this one into another. */
  function mergedWith(details: AuditRow['Details']): readonly string[] {
    const [id, key] = (details?.merged ?? []) as readonly [number?, (string | null)?];
    return [
      ...(id === undefined ? [] : [messages.merged(id, key ?? null)]),
      ...(typeof details?.mergedInto === 'number' ? [messages.mergedInto(details.mergedInto)] : []),
    ];
  }

  /** Describes users that have moved, one sentence for each of the other principals. */
  function movedBy(direction: 'moved' | 'movedAway', list: unknown): readonly string[] {
    const moves = (list ?? []) as readonly (readonly [user: number, principal: number])[];
    const principals = new Set(moves.map(([, principal]) => principal));
    return [...principals].map((principal) =>
      messages[direction](
        formatUsers(moves.flatMap(([user, other]) => (other === principal ? [user] : []))),
        principal,
      ),
    );
  }

  return (row) => {
    const { Action, IRID } = row;
    if (recordActions.includes(Action)) return describeRecord(row);
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
