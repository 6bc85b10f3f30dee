import { useSyncExternalStore } from 'react';

type Resolve = (isConfirmed: boolean) => void;

/** The calls that wait until the operator has confirmed its identity, with one dialog for all of them. */
let waiting: readonly Resolve[] = [];
const listeners = new Set<() => void>();

/** Asks the operator to confirm its identity; resolves to false if it cancels. */
export function confirmIdentity(): Promise<boolean> {
  return new Promise((resolve) => setWaiting([...waiting, resolve]));
}

/** Lets the waiting calls continue, or fail. */
export function endConfirmation(isConfirmed: boolean): void {
  for (const resolve of waiting) resolve(isConfirmed);
  setWaiting([]);
}

/** Returns true while calls wait. */
export function useIsConfirming(): boolean {
  return useSyncExternalStore(listen, () => waiting.length > 0);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setWaiting(next: readonly Resolve[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}
