import type { IssuedCode } from '../passwords/password-code.ts';
import type { CodeKind } from '../records/write/password-codes.store.ts';
import { type ComposeOptions, composeMail, type MailContent } from './compose.ts';
import { connectionsAtOnce, type Mailer, type MailResult } from './mailer.ts';

/** A due mail whose codes were just issued. */
export interface PreparedMail extends MailContent {
  readonly attempts: number;
}

export interface MailAttempt {
  readonly id: string;
  readonly state: 'pending' | 'sent' | 'failed';
  /** Seconds until the next attempt of a pending mail. */
  readonly waitSeconds: number | null;
  readonly answer: string | null;
}

export interface MailDeliveryStore {
  /**
   * Returns up to `limit` due mails, forgotten passwords first, and stores the digests of their codes. Removes due mails
   * that no user may get, and sets `more` to false if there were no due mails at all.
   */
  prepare(
    limit: number,
    issueCode: (kind: CodeKind) => IssuedCode,
  ): Promise<{ readonly mails: readonly PreparedMail[]; readonly more: boolean }>;
  /**
   * Stores the results. Stops the pending mails of a call if more than `maxFailed` percent of those that were settled have
   * failed, and returns these calls.
   */
  settle(attempted: readonly MailAttempt[], maxFailed: number): Promise<readonly string[]>;
}

export interface MailDeliveryTools {
  readonly store: MailDeliveryStore;
  readonly mailer: Mailer;
  readonly composing: ComposeOptions;
  readonly issueCode: (kind: CodeKind) => IssuedCode;
  /** Seconds between one attempt and the next. A mail fails when the attempt after the last wait fails. */
  readonly waits: readonly number[];
  readonly maxFailed: number;
  onResult(kind: CodeKind, result: MailAttempt['state']): void;
  onUnavailable(answer: string): void;
  onStopped(callId: string): void;
}

/** Codes that are issued in one transaction, before their mails are sent. */
const batchSize = 50;

/**
 * Sends due mails until there are none, the mail server is unavailable, or the signal aborts. The first mail is sent
 * alone, so that an unavailable server costs one connection and one attempt.
 */
export async function deliverMails(tools: MailDeliveryTools, signal: AbortSignal): Promise<void> {
  for (let limit = 1; !signal.aborted; limit = batchSize) {
    const { mails, more } = await tools.store.prepare(limit, tools.issueCode);
    const available = await sendBatch(mails, tools, signal);
    if (!more || !available) return;
  }
}

/** Returns false if the mail server was unavailable. Mails that were not tried stay due. */
async function sendBatch(
  mails: readonly PreparedMail[],
  tools: MailDeliveryTools,
  signal: AbortSignal,
): Promise<boolean> {
  const left = [...mails];
  const settler = openSettler(tools);
  let available = true;
  const worker = async () => {
    for (let next = left.shift(); next && available && !signal.aborted; next = left.shift()) {
      const result = await tools.mailer.send(composeMail(next, tools.composing));
      if (result.state === 'unavailable') {
        if (available) tools.onUnavailable(result.answer);
        available = false;
      }
      const attempt = attemptOf(next, result, tools.waits);
      tools.onResult(next.kind, attempt.state);
      settler.add(attempt);
    }
  };
  await Promise.all(Array.from({ length: connectionsAtOnce }, worker));
  await settler.end();
  return available;
}

function attemptOf(
  { id, attempts }: PreparedMail,
  result: MailResult,
  waits: readonly number[],
): MailAttempt {
  if (result.state === 'sent') return { id, state: 'sent', waitSeconds: null, answer: null };
  const waitSeconds = result.state === 'refused' ? null : (waits[attempts] ?? null);
  return { id, state: waitSeconds === null ? 'failed' : 'pending', waitSeconds, answer: result.answer };
}

/**
 * Stores results while other mails are sent, all that have arrived during a statement with the next one: a mail whose
 * result is not stored when the service is killed is sent again.
 */
function openSettler({ store, maxFailed, onStopped }: MailDeliveryTools) {
  let waiting: MailAttempt[] = [];
  let running: Promise<void> | null = null;
  async function settleAll(): Promise<void> {
    while (waiting.length > 0) {
      const attempted = waiting;
      waiting = [];
      for (const callId of await store.settle(attempted, maxFailed)) onStopped(callId);
    }
    running = null;
  }
  function start(): Promise<void> {
    running ??= settleAll();
    return running;
  }
  return {
    add(attempt: MailAttempt): void {
      waiting.push(attempt);
      // `end` throws the error.
      start().catch(() => undefined);
    },
    end: () => running ?? start(),
  };
}
