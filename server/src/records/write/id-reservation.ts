import { required } from '../../lib/required.ts';
import type { ChangeStore, PrincipalChange, ReservedIds } from './change.ts';

interface IdStore {
  /** Reserves IDs before the writes, so that records written in parallel are numbered in the order sent. */
  reservePrincipalIds(count: number): Promise<readonly number[]>;
  reserveUserIds(count: number): Promise<readonly number[]>;
}

export interface RecordStore extends IdStore, ChangeStore {}

/** Reserves the IDs of many changes at once, because each reservation costs a disk write. */
export class IdReservation {
  #principals = 0;
  #users = 0;
  #principalIds: readonly number[] = [];
  #userIds: readonly number[] = [];

  /** Adds what the change inserts. The function that is returned returns its IDs after `reserve`. */
  add(change: PrincipalChange | null): () => ReservedIds {
    const isInserted = change?.principal.kind === 'insert';
    const principal = this.#principals;
    const first = this.#users;
    if (isInserted) this.#principals++;
    this.#users += change?.registrations.length ?? 0;
    const end = this.#users;
    return () => ({
      principal: isInserted ? required(this.#principalIds[principal]) : null,
      users: this.#userIds.slice(first, end),
    });
  }

  async reserve(store: IdStore): Promise<void> {
    [this.#principalIds, this.#userIds] = await Promise.all([
      store.reservePrincipalIds(this.#principals),
      store.reserveUserIds(this.#users),
    ]);
  }
}
