import { pageOf } from '../answer.ts';
import type { JournalRow, Verdict } from '../api.gen.ts';
import type { CallOptions } from '../options.ts';
import { Sequence, type SequenceOptions } from '../sequence.ts';
import type { Transport } from '../transport.ts';

/** Options of {@link Audit.rows}. */
export interface AuditOptions extends SequenceOptions {
  /** The `Position` of the last row already read (exclusive). Omitted or null: starts at the first row in `order`. */
  readonly after?: number | null | undefined;
  /** Returns only rows about the principal with this ID. */
  readonly principal?: number | undefined;
  /** False excludes the rows of read access. Default: true. */
  readonly reads?: boolean | undefined;
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
  rows(options: AuditOptions = {}): Sequence<JournalRow, number> {
    const { after: start = null, order, principal, reads, pageSize, follow, pollMs, ...rest } = options;
    return new Sequence(
      async (after) => {
        const query = { order, after: after ?? undefined, principal, reads, pageSize };
        const { records, record } = pageOf(await this.#transport.send('audit', { query }, rest));
        return { records, after: record.After, more: record.More };
      },
      start,
      { order, follow, pollMs, signal: rest.signal },
    );
  }

  /**
   * Verifies the hash chain of the audit log. The service reads every row: set a long `timeoutMs` for millions of rows.
   * Store `LastPosition` and `LastSeal` outside the service: only a comparison with them detects a truncated log.
   */
  async verify(options?: CallOptions): Promise<Verdict> {
    return pageOf(await this.#transport.send('verifyAudit', {}, options)).record;
  }
}
