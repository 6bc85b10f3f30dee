import type { Actor } from '../audit/audit-log.ts';
import type { Role } from '../clients/permissions.ts';
import type { CallerTags } from '../db/visibility.ts';
import { ApiError } from '../lib/field-errors.ts';
import { isEmail } from '../lib/request-fields.ts';
import type { CodeIssuer, IssuedCode } from '../passwords/password-code.ts';

export const operatorStates = ['invited', 'active', 'disabled'] as const;

/** A person who signs in to the console. */
export interface Operator {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Limits the operator to the principals that have one of these tags. They never change. */
  readonly tags: CallerTags;
  readonly state: (typeof operatorStates)[number];
  readonly hasSecondFactor: boolean;
  readonly createdAt: Date;
}

export interface NewOperator {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly tags?: CallerTags;
}

export interface OperatorChange {
  readonly name?: string;
  readonly role?: Role;
  readonly disabled?: boolean;
}

export interface OperatorSession {
  readonly id: string;
  readonly address: string | null;
  readonly signedInAt: Date;
  readonly usedAt: Date;
  /** True for the session that asks. */
  readonly isOwn: boolean;
}

export interface OperatorStore {
  list(): Promise<readonly Operator[]>;
  /** Returns null if the email address is taken. */
  insert(operator: NewOperator, code: IssuedCode, actor: Actor): Promise<Operator | null>;
  /** Returns null if there is no such operator, and `last` if no active administrator would be left. */
  change(id: number, change: OperatorChange, actor: Actor): Promise<Operator | 'last' | null>;
  /** Removes the password and the second factor, ends all sessions, and enables the operator. */
  reset(id: number, code: IssuedCode, actor: Actor): Promise<Operator | null>;
  /** `own` is the token of the session that asks, if it is one of the operator. */
  listSessions(id: number, own?: Buffer): Promise<readonly OperatorSession[] | null>;
  /** Ends one session, or all but that with the token `kept`; returns how many, or null if there is no such operator. */
  endSessions(id: number, session: string | null, actor: Actor, kept?: Buffer): Promise<number | null>;
}

/** Sends the codes of operators by mail, later and without an answer: an operator can always get another code. */
export interface OperatorMailer {
  send(kind: 'invitation' | 'forgotten', operator: MailedOperator, code: IssuedCode): void;
}

export type MailedOperator = Pick<Operator, 'id' | 'name' | 'email'>;

export interface OperatorTools {
  readonly store: OperatorStore;
  readonly issueCode: CodeIssuer;
  /** Null if no mail server is configured. */
  readonly mailer: OperatorMailer | null;
}

/** An operator with the code for its password, which exists as text only here. */
export interface InvitedOperator {
  readonly operator: Operator;
  readonly code: IssuedCode;
}

/** Email addresses are compared without regard to case. */
export function emailKey(email: string): string {
  return email.toLowerCase();
}

/** With `byMail` the operator also gets the code by mail. */
export async function inviteOperator(
  operator: NewOperator,
  { store, issueCode, mailer }: OperatorTools,
  actor: Actor,
  byMail = false,
): Promise<InvitedOperator> {
  if (byMail && !mailer) throw new ApiError('NO_MAIL_SERVER');
  checkName(operator.name);
  if (!isEmail(operator.email)) throw new ApiError('INVALID_CLIENT', { variant: 'email' });
  const code = issueCode();
  const inserted = await store.insert(operator, code, actor);
  if (!inserted) throw new ApiError('OPERATOR_EMAIL_TAKEN');
  if (byMail) mailer?.send('invitation', inserted, code);
  return { operator: inserted, code };
}

export async function changeOperator(
  id: number,
  change: OperatorChange,
  { store }: Pick<OperatorTools, 'store'>,
  actor: Actor,
): Promise<Operator> {
  if (change.name !== undefined) checkName(change.name);
  const changed = await store.change(id, change, actor);
  if (changed === 'last') throw new ApiError('LAST_ADMINISTRATOR');
  return existing(changed);
}

export async function resetOperator(
  id: number,
  { store, issueCode, mailer }: OperatorTools,
  actor: Actor,
  byMail = false,
): Promise<InvitedOperator> {
  if (byMail && !mailer) throw new ApiError('NO_MAIL_SERVER');
  const code = issueCode();
  const operator = existing(await store.reset(id, code, actor));
  if (byMail) mailer?.send('invitation', operator, code);
  return { operator, code };
}

export function existing<Found>(found: Found | null): Found {
  if (found === null) throw new ApiError('OPERATOR_NOT_FOUND');
  return found;
}

function checkName(name: string): void {
  if (name.trim() === '' || /\p{C}/u.test(name))
    throw new ApiError('INVALID_CLIENT', { variant: 'operator' });
}
