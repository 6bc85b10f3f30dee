import { required } from '../../lib/required.ts';
import { resetUsers, sourcesOf, usersTo } from './change.ts';
import { idOf } from './statement-values.ts';
import { usersPerAuditRow, type WritableChange } from './writable-change.ts';

/** What the audit log notes about a change, except the actor. */
export interface AuditedChange {
  readonly principalId: number;
  readonly action: string;
  readonly registered: readonly number[];
  readonly reset: readonly number[];
  readonly deleted: readonly number[];
  /** Null if the row has no changed values. */
  readonly changeId: string | null;
  /** JSON: the names of changed fields. It contains no personal values, because the row stays when a user is deleted. */
  readonly details: string;
}

/** Returns the ID that links the values of an edit to the audit row that lists the edit; see `auditRows`. */
export function changeIdOf(change: WritableChange, edit: number): string {
  const position = usersTo(change, 'register').length + resetUsers(change).length + edit;
  return required(change.changeIds[Math.floor(position / usersPerAuditRow)]);
}

/** Returns the audit rows of a change: one, and further ones if it names many users. Those have the users only. */
export function auditRows(change: WritableChange): AuditedChange[] {
  const { action, principalId, principal, merged, changeIds } = change;
  const invited = change.invitations.map(({ userId, channel }) => [userId, channel]);
  const registered = usersTo(change, 'register').map(idOf);
  const reset = resetUsers(change);
  const edited = usersTo(change, 'edit').map(({ id, changed, state }) => [
    id,
    changed,
    changed.includes('State') ? state : null,
  ]);
  const moved = usersTo(change, 'move').map(({ id, from }) => [id, from]);
  const deletedIds = usersTo(change, 'delete').map(idOf);
  const rows = changeIds.map((changeId, number) => {
    // The lists follow each other; a row has the users of one part of all of them.
    let start = number * usersPerAuditRow;
    const inRow = <Item>(list: readonly Item[]): Item[] => {
      const part = list.slice(Math.max(start, 0), Math.max(start + usersPerAuditRow, 0));
      start -= list.length;
      return part;
    };
    const part = {
      registered: inRow(registered),
      reset: inRow(reset),
      edited: inRow(edited),
      moved: inRow(moved),
      deleted: inRow(deletedIds),
      invited: inRow(invited),
    };
    const details = {
      ...(number === 0 ? auditDetails(change) : merged && { mergedBefore: [merged.id, merged.externalKey] }),
      ...(part.edited.length > 0 && { users: part.edited }),
      ...(part.moved.length > 0 && { moved: part.moved }),
      ...(part.invited.length > 0 && { invited: part.invited }),
    };
    const { registered: names, reset: ids, deleted } = part;
    const lists = { registered: names, reset: ids, deleted };
    const hasValues = part.edited.length > 0 || (number === 0 && principal.kind === 'edit');
    return {
      principalId,
      action: number === 0 ? action : 'update',
      ...lists,
      changeId: hasValues ? changeId : null,
      details: JSON.stringify(details),
    };
  });
  return [...rows, ...sourcesOf(change).flatMap((source) => auditRowsOfSource(source, change))];
}

/** Returns the audit rows of a principal that loses users or is merged, for its history. They produce no events. */
function auditRowsOfSource(source: number, change: WritableChange): AuditedChange[] {
  const { principalId, merged } = change;
  const own = usersTo(change, 'move').filter(({ from }) => from === source);
  const moved = own.map(({ id }) => [id, principalId]);
  const mergedInto = merged?.id === source ? principalId : null;
  const count = Math.max(Math.ceil(moved.length / usersPerAuditRow), mergedInto === null ? 0 : 1);
  return Array.from({ length: count }, (_, number) => {
    const movedAway = moved.slice(number * usersPerAuditRow, (number + 1) * usersPerAuditRow);
    const lists = { registered: [], reset: [], deleted: [], changeId: null };
    const details = {
      ...(mergedInto !== null && { mergedInto }),
      ...(movedAway.length > 0 && { movedAway }),
    };
    return { principalId: source, action: 'update', ...lists, details: JSON.stringify(details) };
  });
}

function auditDetails({ principal, merged }: WritableChange) {
  const changed = principal.kind === 'edit' ? principal.changed : [];
  const fields = changed.filter((name) => name !== 'State');
  return {
    ...(fields.length > 0 && { changed: fields }),
    ...(principal.kind === 'edit' && changed.includes('State') && { state: principal.values.state }),
    ...(merged && { merged: [merged.id, merged.externalKey] }),
    ...(principal.kind === 'delete' &&
      principal.externalKey !== null && { externalKey: principal.externalKey }),
  };
}
