import type { Author, Journal } from '../core/journal/journal.ts';

const windowMs = 3_600_000;
const addressesKept = 10_000;
/** The most rows for one client within an hour, however many addresses the attempts come from. */
const rowsPerClient = 100;

interface Count {
  count: number;
  readonly since: number;
}

/**
 * Notes in the audit log who shows the public key of a client and may not call as that client. A flood must not fill the
 * log: of the attempts for one client from one address within an hour, the first, the tenth, the hundredth and so on are
 * noted, and at most 100 for one client from all addresses; the last of these says so.
 */
export class DeniedClients {
  readonly #journal: Journal;
  readonly #attempts = new Map<string, Count>();
  readonly #rows = new Map<string, Count>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async note(
    { id, publicKey }: { readonly id: number; readonly publicKey: string },
    why: 'secret' | 'address',
    source: string,
    author: Author,
  ): Promise<void> {
    const attempts = countOne(this.#attempts, `${id} ${source}`);
    if (!Number.isInteger(Math.log10(attempts))) return;
    const rows = countOne(this.#rows, String(id));
    if (rows > rowsPerClient) return;
    const details = { client: id, publicKey, why, attempts, ...(rows === rowsPerClient && { last: true }) };
    await this.#journal.note(author, { action: 'client.denied', details });
  }
}

/** Adds one to the count of a key within the last hour. Beyond `addressesKept` keys the oldest one is dropped. */
function countOne(counts: Map<string, Count>, key: string): number {
  const known = counts.get(key);
  const now = performance.now();
  const current = known && now - known.since < windowMs ? known : { count: 0, since: now };
  current.count++;
  counts.delete(key);
  counts.set(key, current);
  const [oldest] = counts.keys();
  if (counts.size > addressesKept && oldest !== undefined) counts.delete(oldest);
  return current.count;
}
