import { type Entry, partsOf, type UserNames } from '../events/event.ts';
import { bodyOf, type Subject, usersIn } from './message.ts';
import { signedHeaders } from './signature.ts';

/** A delivery that is due. */
export interface DueDelivery extends Subject {
  readonly id: string;
  /** How often it was attempted before. */
  readonly attempts: number;
  /** The same object for all deliveries of an entry. */
  readonly entry: Entry;
}

export interface Endpoint {
  readonly id: number;
  readonly url: string;
  /** The newest, and the one before while it goes on. */
  readonly sealedSecrets: readonly Buffer[];
}

/** What came of an attempt: an answer of the receiver, or why there was none. */
export interface Attempt {
  readonly status: number | null;
  readonly failure: string | null;
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

/** What signs messages, and what sends them. */
export interface Signing {
  openSecret(sealed: Buffer, webhookId: number): string;
  send(url: string, headers: Record<string, string>, body: string): Promise<Attempt>;
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
    const secrets = endpoint.sealedSecrets.map((sealed) => tools.openSecret(sealed, webhookId));
    const left = [...due];
    const attempted: Attempted[] = [];
    const sender = async () => {
      for (let next = left.shift(); next && !signal.aborted; next = left.shift())
        attempted.push(
          await attempt(
            next,
            bodyOf(next.entry, parts.get(next.entry) ?? [], next, names),
            endpoint.url,
            secrets,
            tools,
          ),
        );
    };
    await Promise.all(Array.from({ length: sentAtOnce }, sender));
    const disabled = await tools.store.settle(webhookId, attempted);
    if (disabled !== null) tools.onDisabled(webhookId, disabled);
  }
}

async function attempt(
  delivery: DueDelivery,
  body: string,
  url: string,
  secrets: readonly string[],
  { send, waits }: DeliveryTools,
): Promise<Attempted> {
  const { id } = delivery;
  const came = await send(url, signedHeaders(secrets, { id, body }, new Date()), body);
  const delivered = isDelivered(came);
  const waitSeconds = delivered ? null : (waits[delivery.attempts] ?? null);
  return { id, delivered, waitSeconds, ...came };
}

export function isDelivered({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}
