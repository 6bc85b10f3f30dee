import { idMax } from '../fields/fields.ts';
import { wrongParameter } from '../fields/parameters.ts';
import { type Chain, type ChainEnd, type Seal, type SealedRow, type Verdict, verifyChain } from './chain.ts';
import type { Action, Author } from './journal.ts';
import { type Order, readOrder } from './order.ts';

/** A row of the journal with all that stands in it. */
export interface AuditRow extends Author {
  readonly id: number;
  readonly at: Date;
  readonly callId: string | null;
  readonly action: Action;
  readonly principalId: number | null;
  readonly registered: readonly number[] | null;
  readonly reset: readonly number[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** Null together, for the moment until the row has its place. */
  readonly position: number | null;
  readonly seal: Buffer | null;
}

/** The journal as it was at one moment, whatever is written meanwhile. */
export interface AuditMoment {
  readonly chain: Chain;
  /** Of the rows that have their place, what their seals are about. */
  sealed(): AsyncIterable<SealedRow>;
  /** Every row: in the order of their places, then those that have none yet. */
  rows(): AsyncIterable<AuditRow>;
}

export interface AuditStore {
  /** Rows that have their place, in its order or against it. */
  page(listing: AuditListing): Promise<readonly AuditRow[]>;
  inOneMoment<Result>(work: (moment: AuditMoment) => Promise<Result>): Promise<Result>;
}

export interface AuditListing {
  readonly order: Order;
  /** The position that was read last; null for the first one in the order. */
  readonly after: number | null;
  readonly limit: number;
  readonly principalId: number | null;
  /** Whether rows of those who have only read are among them. */
  readonly reads: boolean;
}

/** What the query of a call said. */
export interface AuditQuery {
  readonly order: string | null;
  readonly after: string | null;
  readonly principal: string | null;
  readonly reads: boolean;
}

export interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** What to give as `after` to read on. */
  readonly after: number;
  readonly more: boolean;
}

/** A page of the journal; one row more than asked for is read, to see whether there is one. */
export async function readAudit(sent: AuditQuery, pageSize: number, store: AuditStore): Promise<AuditPage> {
  const order = readOrder(sent.order);
  const after = readFigure('after', sent.after, 0);
  const principalId = readFigure('principal', sent.principal, 1);
  const found = await store.page({ order, after, limit: pageSize + 1, principalId, reads: sent.reads });
  const rows = found.slice(0, pageSize);
  return { rows, after: rows.at(-1)?.position ?? after ?? 0, more: found.length > pageSize };
}

function readFigure(name: string, text: string | null, min: number): number | null {
  if (text === null) return null;
  const figure = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (figure >= min && figure <= idMax) return figure;
  throw wrongParameter(name, 'number', { min, max: idMax });
}

/** Whether every row is as it was sealed, and none is missing or more than there was. */
export function verifyJournal(
  store: AuditStore,
  seal: Seal,
  expected: ChainEnd | null = null,
): Promise<Verdict> {
  return store.inOneMoment((moment) => verifyChain(moment.sealed(), moment.chain, seal, expected));
}
