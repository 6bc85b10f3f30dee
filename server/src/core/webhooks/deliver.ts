import { type Entry, partsOf, type UserNames } from '../events/event.ts';
import { type Attempt, type Endpoint, isDelivered, openEndpoint, type Signing } from './attempt.ts';
import { bodyOf, type Subject, usersIn } from './message.ts';

/** A delivery that is due. */
export interface DueDelivery extends Subject {
  readonly id: string;
  /** How often it was attempted before. */
  readonly attempts: number;
  /** The same object for all deliveries of an entry. */
  readonly entry: Entry;
}

export interface Attempted extends Attempt {
  readonly id: string;
  readonly delivered: boolean;
  /** How long to wait before the next attempt; null where there is none. */
  readonly waitSeconds: number | null;
}

export interface DeliveryStore {
  /** Null where it was disabled or removed. */
  endpoint(webhookId: number): Promise<Endpoint | null>;
  /** What is due now, the longest due first. */
  due(webhookId: number, limit: number): Promise<readonly DueDelivery[]>;
  names(userIds: readonly number[]): Promise<ReadonlyMap<number, UserNames>>;
  /** Writes down what came of attempts; an endpoint of which one was given up is disabled: then why, else null. */
  settle(webhookId: number, attempted: readonly Attempted[]): Promise<string | null>;
}

export interface DeliveryTools extends Signing {
  readonly store: DeliveryStore;
  /** Told of an endpoint that was disabled, and why. */
  onDisabled(webhookId: number, why: string): void;
  /** Seconds between one attempt and the next; after the last one a delivery is given up. */
  readonly waits: readonly number[];
}

/** From seconds to a day, over three days in all. */
export const threeDays = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 43_200, 43_200, 72_600];

const dueAtOnce = 200;
/** So many are on their way to one endpoint at a time. */
const sentAtOnce = 16;

/** After so long others have their turn. */
const turnMs = 10_000;

/** Delivers what is due to one endpoint, until nothing is, its turn is over, or it is told to break off. */
export async function deliverDue(
  webhookId: number,
  tools: DeliveryTools,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + turnMs;
  while (!signal.aborted && performance.now() < until) {
    const endpoint = await tools.store.endpoint(webhookId);
    const due = endpoint ? await tools.store.due(webhookId, dueAtOnce) : [];
    if (!endpoint || due.length === 0) return;
    const parts = new Map(due.map(({ entry }) => [entry, partsOf(entry)]));
    const users = due.flatMap((delivery) => usersIn(parts.get(delivery.entry) ?? [], delivery));
    const names = await tools.store.names([...new Set(users)]);
    const send = openEndpoint(endpoint, tools);
    const left = [...due];
    const attempted: Promise<Attempted>[] = [];
    const lane = async () => {
      for (let next = left.shift(); next && !signal.aborted; next = left.shift()) {
        const body = bodyOf(next.entry, parts.get(next.entry) ?? [], next, names);
        const { answer, ...came } = await send(next.id, body);
        const { id, attempts } = next;
        const delivered = isDelivered(came);
        const waitSeconds = delivered ? null : (tools.waits[attempts] ?? null);
        // The next message does not wait for the text of this answer.
        attempted.push(answer.then((text) => ({ id, delivered, waitSeconds, ...came, answer: text })));
      }
    };
    await Promise.all(Array.from({ length: sentAtOnce }, lane));
    const disabled = await tools.store.settle(webhookId, await Promise.all(attempted));
    if (disabled !== null) tools.onDisabled(webhookId, disabled);
  }
}
