/** Who does something, and on which occasion. */
export interface Author {
  /** An API client, one that is signed in at the console, a signed-in user, someone in protected mode, the operator at the command line, the service itself. */
  readonly actor: 'client' | 'console' | 'user' | 'protected' | 'operator' | 'service';
  readonly clientId: number | null;
  readonly userId: number | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** Of what the service does by itself. */
export const theService: Author = {
  actor: 'service',
  clientId: null,
  userId: null,
  address: null,
  requestId: null,
};

/** Of what is done at the command line. */
export const theOperator: Author = { ...theService, actor: 'operator' };

/** What was done. Those that change records are noted by the statement that changes them. */
export type Action =
  | 'insert'
  | 'update'
  | 'state'
  | 'call.completed'
  | 'job.submitted'
  | 'job.completed'
  | 'job.cancelled'
  | 'records.read'
  | 'login'
  | 'login.failed'
  | 'login.refreshed'
  | 'login.reused'
  | 'logout'
  | 'console.login'
  | 'console.logout'
  | 'client.created'
  | 'client.changed'
  | 'client.rotated'
  | 'client.revoked'
  | 'client.denied'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.rotated'
  | 'webhook.deleted'
  | 'webhook.disabled'
  | 'webhook.replayed';

export interface Note {
  readonly action: Action;
  readonly principalId?: number | null;
  readonly callId?: string | null;
  /** Never anything secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Where everything that is done is written down. */
export interface Journal {
  note(author: Author, note: Note): Promise<void>;
}
