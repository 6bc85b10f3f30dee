import { pageOf } from '../answer.ts';
import type { JournalRow, Verdict } from '../api.gen.ts';
import type { CallOptions } from '../options.ts';
import { Sequence, type SequenceOptions } from '../sequence.ts';
import type { Transport } from '../transport.ts';

/** Which rows of the journal. */
export interface AuditOptions extends SequenceOptions {
  /** The position that was read last; without it, from the first row in the order. */
  readonly after?: number | null | undefined;
  /** Only what was done to the principal with this ID. */
  readonly principal?: number | undefined;
  /** Whether rows of those who have only read are among them; they are unless this is false. */
  readonly reads?: boolean | undefined;
}

/** The journal of everything that was done, sealed into a chain. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The rows, the oldest first, or the newest. */
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

  /** Whether the journal is as it was written. Every row is read: give it time where there are millions. */
  async verify(options?: CallOptions): Promise<Verdict> {
    return pageOf(await this.#transport.send('verifyAudit', {}, options)).record;
  }
}
