import { pageOf } from '../answer.ts';
import type { JournalRow, Verdict } from '../api.gen.ts';
import type { CallOptions, PageOptions } from '../options.ts';
import { type FollowOptions, Sequence } from '../sequence.ts';
import type { Transport } from '../transport.ts';

/** Which rows of the journal. */
export interface AuditOptions extends PageOptions, FollowOptions {
  /** The position that was read last; without it, from the beginning. */
  readonly after?: number | null | undefined;
  /** Only what was done to the principal with this ID. */
  readonly principal?: number | undefined;
}

/** The journal of everything that was done, sealed into a chain. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The rows, in order. */
  rows(options: AuditOptions = {}): Sequence<JournalRow, number> {
    const { after: start = null, principal, pageSize, follow, pollMs, ...rest } = options;
    return new Sequence(
      async (after) => {
        const query = { after: after ?? undefined, principal, pageSize };
        const { records, record } = pageOf(await this.#transport.send('audit', { query }, rest));
        return { records, after: record.After, more: record.More };
      },
      start,
      { follow, pollMs, signal: rest.signal },
    );
  }

  /** Whether the journal is as it was written. Every row is read: give it time where there are millions. */
  async verify(options?: CallOptions): Promise<Verdict> {
    return pageOf(await this.#transport.send('verifyAudit', {}, options)).record;
  }
}
