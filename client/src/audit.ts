import type { AuditAction, AuditChange, AuditRow, AuditVerification } from './api.gen.ts';
import { CursorList, type CursorListOptions } from './lists.ts';
import type { CallOptions, PageOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** Options of {@link Audit.rows}. */
export interface AuditOptions extends CursorListOptions {
  /** The `Position` of the last row already read (exclusive). Omitted or null: starts at the first row in `order`. */
  readonly after?: number | null | undefined;
  /** Returns only rows about the principal with this ID. */
  readonly principal?: number | undefined;
  /** Returns only rows that name the user with this ID, and rows of its own actions. */
  readonly user?: number | undefined;
  /** True returns only sign-ins and sign-outs of users, false only changes. Default: all rows. */
  readonly signIns?: boolean | undefined;
  readonly action?: AuditAction | undefined;
  /** Returns only rows of this kind of actor. */
  readonly actor?: AuditRow['Actor'] | undefined;
  /** Returns only rows of the API client with this ID. */
  readonly client?: number | undefined;
  /** Returns only rows from this time on. */
  readonly from?: string | undefined;
  /** Returns only rows before this time. */
  readonly until?: string | undefined;
  /** False excludes the rows of read access. Default: true. */
  readonly reads?: boolean | undefined;
}

/** Options of {@link Audit.changes}. */
export interface ChangeOptions extends PageOptions {
  /** The ID of the last user already read (exclusive); 0 for the principal. */
  readonly after?: number | null | undefined;
}

/** The audit log: the append-only record of all actions, linked by a hash chain. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads the rows of the audit log, oldest first unless `order` is `newest`.
   *
   * @throws {TypeError} If `follow` is combined with `order: 'newest'`.
   */
  rows(options: AuditOptions = {}): CursorList<AuditRow, number> {
    const { follow: _, pollMs: __, after: ___, signal, timeoutMs, ...filters } = options;
    return new CursorList((after) => {
      const query = { ...filters, after: after ?? undefined };
      return this.#transport.page('audit', { query }, { signal, timeoutMs });
    }, options);
  }

  /**
   * Reads all changed values of the row at a position, user by user, for a row with `MoreChanges`. `after` is the ID of the
   * last user already read (0: the principal).
   */
  changes(position: number, options: ChangeOptions = {}): CursorList<AuditChange, number> {
    const { pageSize, signal, timeoutMs } = options;
    return new CursorList((after) => {
      const parameters = { path: { position }, query: { after: after ?? undefined, pageSize } };
      return this.#transport.page('auditChanges', parameters, { signal, timeoutMs });
    }, options);
  }

  /**
   * Verifies the hash chain of the audit log. The service reads every row: set a long `timeoutMs` for millions of rows.
   * Store `LastPosition` and `LastHash` outside the service: only a comparison with them detects a truncated log.
   */
  verify(options?: CallOptions): Promise<AuditVerification> {
    return this.#transport.record('verifyAudit', {}, options);
  }
}
