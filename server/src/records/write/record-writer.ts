import { WriteFailure } from '../../db/errors.ts';
import { principalsOf, sizeOf } from './change.ts';
import type { WritableChange } from './writable-change.ts';
import type { WriteStore } from './write-changes.store.ts';
import { failureRules } from './write-failures.ts';

/** Limits of one transaction, so that its locks are held for a short time. A larger record is written alone. */
const recordsPerGroup = 200;
const usersPerGroup = 1000;

/** The retries of all writers of this node. Two retries of one principal at a time would conflict with each other again. */
export class Retries {
  /** The end of the last retry of each principal. */
  readonly #last = new Map<number, Promise<void>>();

  /** Waits for the other retries of the principal. Returns a function that ends this one. */
  async begin(principalId: number | null): Promise<() => void> {
    if (principalId === null) return () => {};
    const before = this.ended(principalId);
    let resolve = () => {};
    const ended = new Promise<void>((settle) => {
      resolve = settle;
    });
    this.#last.set(principalId, ended);
    await before;
    return () => {
      resolve();
      if (this.#last.get(principalId) === ended) this.#last.delete(principalId);
    };
  }

  async ended(principalId: number | null): Promise<void> {
    if (principalId !== null) await this.#last.get(principalId);
  }
}

export interface WriterOptions {
  /** Maximum number of parallel writes: enough to keep up with hashing, and fair to other calls. */
  readonly writesAtOnce?: number;
  readonly retries?: Retries;
  /** Delays the next writes, to let more urgent work go first. */
  pause?(): Promise<void>;
}

interface WaitingChange {
  readonly change: WritableChange;
  /** True after a group that was not written, or that left the change out. */
  readonly isAlone: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes changes in groups, each group in one transaction. A change never waits for a group to fill: it is written in
 * the next iteration of the event loop in which fewer than `writesAtOnce` writes are running, together with the changes
 * that became ready meanwhile. `failureRules` decides which changes are written alone if a group fails.
 */
export class RecordWriter {
  readonly store: WriteStore;
  readonly retries: Retries;
  readonly #waiting: WaitingChange[] = [];
  readonly #writesAtOnce: number;
  readonly #pause: (() => Promise<void>) | undefined;
  #running = 0;

  constructor(store: WriteStore, { writesAtOnce = 4, retries = new Retries(), pause }: WriterOptions = {}) {
    this.store = store;
    this.retries = retries;
    this.#writesAtOnce = writesAtOnce;
    this.#pause = pause;
  }

  /** Throws a `WriteFailure` if the change was not written, or if it is unknown whether it was. */
  write(change: WritableChange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, isAlone: false, resolve, reject });
      void this.#writeGroups();
    });
  }

  /** Writes one group after the other until no change is waiting, unless enough writes are running. */
  async #writeGroups(): Promise<void> {
    if (this.#running === this.#writesAtOnce) return;
    this.#running++;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      // No pause before each change that is written alone: there may be many of them.
      if (!this.#waiting[0]?.isAlone) await this.#pause?.();
      if (this.#waiting.length === 0) break;
      const group = this.#takeGroup();
      const failures = await this.#failuresOf(group.map(({ change }) => change));
      for (const [index, waiting] of group.entries()) {
        const failure = failures[index];
        if (!failure) waiting.resolve();
        else if (group.length > 1 && failureRules[failure.kind].isTriedAlone) this.#writeAlone(waiting);
        else waiting.reject(failure);
      }
    }
    this.#running--;
  }

  /** Writes a group. Returns the failure of each change; null for one that was written. */
  async #failuresOf(changes: readonly WritableChange[]): Promise<(WriteFailure | null)[]> {
    try {
      const written = await this.store.writeChanges(changes);
      return written.map((isWritten) => (isWritten ? null : new WriteFailure('conflict')));
    } catch (error) {
      // Any other error may have occurred after the commit.
      const failure = error instanceof WriteFailure ? error : new WriteFailure('unknown', error);
      return changes.map(() => failure);
    }
  }

  #writeAlone(waiting: WaitingChange): void {
    this.#waiting.push({ ...waiting, isAlone: true });
    void this.#writeGroups();
  }

  /** Takes the first change and those after it that can be written with it, up to the limits of a group. */
  #takeGroup(): WaitingChange[] {
    if (this.#waiting[0]?.isAlone) return this.#waiting.splice(0, 1);
    const principals = new Set<number>();
    let count = 0;
    let users = 0;
    for (const { change, isAlone } of this.#waiting) {
      users += sizeOf(change);
      const own = principalsOf(change);
      const isFull = count === recordsPerGroup || users > usersPerGroup;
      if (count > 0 && (isAlone || isFull || own.some((id) => principals.has(id)))) break;
      for (const id of own) principals.add(id);
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}
