import { ErrorBudget } from '../faults.ts';
import type { Author } from '../journal/journal.ts';
import type { RecordList } from '../json/record-list.ts';
import { checkRecords, positionsOf, recordsAt } from '../records/batch.ts';
import { required } from '../records/draft.ts';
import type { Need } from '../records/numbering.ts';
import type { Operation, OperationName } from '../records/operation.ts';
import { type Outcome, refused } from '../records/outcome.ts';
import { inSlices } from '../records/slices.ts';
import type { Vault } from '../sealing/vault.ts';
import { type KeptRefusal, keptRefusal } from './kept-refusal.ts';
import { planChunks, type Waiting } from './plan.ts';
import { sealRecords } from './waiting-records.ts';

/** So many users are checked with one set of look-ups. */
const usersInSlice = 2000;

export interface NewJob {
  readonly id: string;
  readonly clientId: number | null;
  readonly operation: OperationName;
  readonly records: number;
  readonly users: number;
  readonly wrappedKey: Buffer;
  readonly author: Author;
}

export interface SealedChunk {
  readonly number: number;
  readonly users: number;
  readonly positions: readonly number[];
  readonly sealed: Buffer;
}

/** A job on its way into the store: all of what is added, or none of it. */
export interface JobBook {
  refuse(refusals: readonly KeptRefusal[]): Promise<unknown>;
  add(chunk: SealedChunk): Promise<void>;
}

export interface SubmissionStore {
  /**
   * Takes the job when `fill` is done; from then on any node may work on it. False where somebody else has taken the
   * call of that ID meanwhile: then nothing is done.
   */
  submit(job: NewJob, fill: (book: JobBook) => Promise<void>): Promise<boolean>;
}

/**
 * Takes records as a job. What can be refused now is refused now, in the order sent; the rest waits, encrypted.
 * `done` tells the positions whose outcome is known already. Returns the outcomes of what was refused now,
 * null where somebody else has taken the call.
 */
export async function submitJob(
  call: {
    id: string;
    clientId: number | null;
    author: Author;
    records: RecordList;
    done: ReadonlySet<number>;
  },
  operation: Operation,
  tools: { store: SubmissionStore; vault: Vault },
): Promise<readonly Outcome[] | null> {
  const { id, records } = call;
  const { key, wrapped } = tools.vault.newJobKey(id);
  const job = {
    id,
    clientId: call.clientId,
    operation: operation.name,
    records: records.count,
    users: records.users,
    wrappedKey: wrapped,
    author: call.author,
  };
  // Before the store is asked to take anything: what the checks read must not wait for those who hold a transaction.
  const { refusals, waiting, needs } = await sortRecords(call, operation);
  // So that IDs follow the order sent, however the chunks are worked on.
  const numbered = await operation.number(needs);
  const numbers = new Map(waiting.map(({ position }, at) => [position, numbered[at]]));
  const taken = await tools.store.submit(job, async (book) => {
    for (const slice of refusals) await book.refuse(slice);
    for (const [number, { positions, users }] of planChunks(waiting).entries()) {
      const chunk = positions.map((position) => ({
        position,
        users: records.usersOf(position),
        text: records.text(position),
        numbers: required(numbers.get(position)),
      }));
      const sealed = await sealRecords(chunk, key, chunkName(id, number));
      await book.add({ number, users, positions, sealed });
    }
  });
  return taken ? refusals.flat().map(({ outcome }) => outcome) : null;
}

export function chunkName(callId: string, number: number): string {
  return `${callId} ${number}`;
}

interface CheckedRecords {
  readonly refusals: readonly (readonly KeptRefusal[])[];
  readonly waiting: readonly Waiting[];
  /** Of those that wait. */
  readonly needs: readonly Need[];
}

/** Goes through the records slice by slice; only those that are refused stand in memory as objects. */
async function sortRecords(
  call: { records: RecordList; done: ReadonlySet<number> },
  operation: Operation,
): Promise<CheckedRecords> {
  const { records } = call;
  const check = operation.newCheck();
  const budget = new ErrorBudget();
  const refusals: KeptRefusal[][] = [];
  const waiting: Waiting[] = [];
  const needs: Need[] = [];
  const left = positionsOf(records).filter((position) => !call.done.has(position));
  for (const positions of inSlices(left, usersInSlice, (position) => records.usersOf(position))) {
    const drafts = await checkRecords(recordsAt(records, positions), operation, check, budget);
    const refusedOnes: KeptRefusal[] = [];
    for (const [at, position] of positions.entries()) {
      const draft = required(drafts[at]);
      if (draft.faults.none) {
        waiting.push({ position, users: draft.users.length, order: operation.order(draft) });
        needs.push(operation.need(draft));
      } else {
        const fields = await records.fields(position);
        refusedOnes.push(await keptRefusal(position, operation.name, fields, refused(draft)));
      }
    }
    refusals.push(refusedOnes);
  }
  return { refusals, waiting, needs };
}
