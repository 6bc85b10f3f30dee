import type { Actor } from '../audit/audit-log.ts';
import type { Page } from '../db/paging.ts';
import type { CallerTags } from '../db/visibility.ts';
import type { CodeKind } from '../records/write/password-codes.store.ts';

export const mailKinds = ['invitation', 'forgotten'] as const satisfies readonly CodeKind[];
/** `stopped`: too many other mails of the job have failed. */
export const mailStates = ['pending', 'sent', 'failed', 'stopped'] as const;
export type MailState = (typeof mailStates)[number];

/** A mail as lists show it. The address is that which the user has now. */
export interface StoredMail {
  readonly id: string;
  readonly kind: CodeKind;
  readonly state: MailState;
  readonly userId: number;
  readonly username: string | null;
  readonly email: string | null;
  readonly principalId: number | null;
  readonly callId: string | null;
  readonly createdAt: Date;
  readonly attempts: number;
  /** The time of the next attempt; null if the mail is not pending, or if it waits for its turn in a slowed job. */
  readonly nextAt: Date | null;
  readonly settledAt: Date | null;
  readonly answer: string | null;
}

export interface MailListing extends Page {
  readonly state: MailState | null;
  readonly callId: string | null;
  readonly run: string | null;
  readonly userId: number | null;
  readonly callerTags: CallerTags;
}

/** The users whose mails are sent again: those of a job, or all; those whose last mail has a state, or any. */
export interface ResentMails {
  readonly callId: string | null;
  readonly state: Exclude<MailState, 'pending'> | null;
  /** Null: as fast as the mail server accepts them. Only for the mails of one job. */
  readonly perMinute: number | null;
  readonly callerTags: CallerTags;
}

export interface MailHistory {
  list(listing: MailListing): Promise<{ readonly mails: readonly StoredMail[]; readonly totalCount: number }>;
  /** Returns the number of mails. Users that have set their password since, or are disabled, get none. */
  resend(which: ResentMails, actor: Actor): Promise<number>;
}
