import { randomUUID } from 'node:crypto';
import { required } from '../../lib/required.ts';
import type { IssuedCode } from '../../passwords/password-code.ts';
import type { InviteChannel, NewPassword } from '../parse/new-password.ts';
import { type PrincipalChange, type UserChange, usersTo } from './change.ts';
import type { AppliedUser, WriteContext } from './outcome.ts';

/** A change with the IDs of what it inserts, the hashes of its passwords, and its actor. */
export interface WritableChange extends PrincipalChange {
  readonly principalId: number;
  readonly users: readonly (UserChange & { readonly id: number })[];
  readonly applied: readonly (AppliedUser & { readonly id: number })[];
  /** The users that are invited, new and existing ones. */
  readonly invitations: readonly ReadyInvitation[];
  /** Zero-based index of the record in the call. */
  readonly position: number;
  readonly context: WriteContext;
  /** One for each audit row: links the changed values to it. */
  readonly changeIds: readonly string[];
}

export interface ReadyInvitation {
  readonly userId: number;
  readonly channel: InviteChannel;
  /** Null if the code is issued later: when the mail is sent, or when the codes of the job are read. */
  readonly code: IssuedCode | null;
}

/** IDs reserved for the rows that a record creates, before the record is written. */
export interface ReservedIds {
  /** Null if the record creates no principal. */
  readonly principal: number | null;
  /** One ID for each registration, in the order sent. */
  readonly users: readonly number[];
}

/** The hashes of the passwords that were sent as text. */
export type Hashes = Map<NewPassword, string>;

/** Returns the change with what is only known when it is written: the IDs of new rows, hashes and codes. */
export function writableChange(
  change: PrincipalChange,
  {
    ids,
    hashes,
    position,
  }: { readonly ids: ReservedIds; readonly hashes: Hashes; readonly position: number },
  context: WriteContext,
): WritableChange {
  const [newIds, appliedIds] = [ids.users.values(), ids.users.values()];
  const hashed = <Password extends NewPassword | null>(password: Password) =>
    password && { ...password, text: null, hash: password.hash ?? required(hashes.get(password)) };
  const users = change.users.map((user): WritableChange['users'][number] => {
    if (user.kind === 'register')
      return { ...user, id: required(newIds.next().value), password: hashed(user.password) };
    if (user.kind === 'reset') return { ...user, password: hashed(user.password) };
    return user.kind === 'edit' && user.password ? { ...user, password: hashed(user.password) } : user;
  });
  const invitations = usersTo({ users }, 'register', 'invite').flatMap((user): ReadyInvitation[] => {
    const channel = user.kind === 'invite' ? user.channel : user.invite;
    if (channel === null) return [];
    return [{ userId: user.id, channel, code: channel === 'code' ? (context.issueCode?.() ?? null) : null }];
  });
  const codes = new Map(invitations.map(({ userId, code }) => [userId, code]));
  return {
    ...change,
    principalId: required(change.principalId ?? ids.principal),
    users,
    applied: change.applied.map((user) => {
      const id = user.id ?? required(appliedIds.next().value);
      return { ...user, id, ...(user.invite && { invite: { ...user.invite, code: codes.get(id) ?? null } }) };
    }),
    invitations,
    position,
    context,
    changeIds: Array.from({ length: auditRowCount(change) }, () => randomUUID()),
  };
}

/** Maximum number of users in one audit row. */
export const usersPerAuditRow = 1000;

/** A new password or an invitation counts besides the user. */
function auditRowCount(change: PrincipalChange): number {
  const others = usersTo(change, 'register', 'edit').filter((user) =>
    user.kind === 'edit' ? user.password : user.invite,
  );
  return Math.max(1, Math.ceil((change.users.length + others.length) / usersPerAuditRow));
}
