import { wrongParameter } from '../fields/parameters.ts';

export const orders = ['oldest', 'newest'] as const;
/** Which one comes first. */
export type Order = (typeof orders)[number];

/** The order that was asked for; without one the oldest comes first. */
export function readOrder(text: string | null): Order {
  if (text === null) return 'oldest';
  const known = orders.find((order) => order === text);
  if (known) return known;
  throw wrongParameter('order', 'choice', { takes: orders.join(', ') });
}
