import type { Author, Journal } from '../core/journal/journal.ts';

const windowMs = 3_600_000;
const pairsKept = 10_000;

interface Count {
  attempts: number;
  readonly since: number;
}

/**
 * Notes in the audit log who shows the public key of a client and may not call as that client. A flood must not fill the log: of
 * the attempts for one client from one address within an hour, the first, the tenth, the hundredth and so on are noted.
 */
export class DeniedClients {
  readonly #journal: Journal;
  readonly #counts = new Map<string, Count>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async note(clientId: number, why: 'secret' | 'address', source: string, author: Author): Promise<void> {
    const attempts = this.#count(`${clientId} ${source}`);
    if (!Number.isInteger(Math.log10(attempts))) return;
    const details = { client: clientId, why, attempts };
    await this.#journal.note(author, { action: 'client.denied', details });
  }

  #count(pair: string): number {
    const known = this.#counts.get(pair);
    const now = performance.now();
    const count = known && now - known.since < windowMs ? known : { attempts: 0, since: now };
    count.attempts++;
    this.#counts.delete(pair);
    this.#counts.set(pair, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > pairsKept && oldest !== undefined) this.#counts.delete(oldest);
    return count.attempts;
  }
}
