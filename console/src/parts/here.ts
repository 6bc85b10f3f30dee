import { createContext, useContext } from 'react';

/** Whether a page is the one that is looked at. */
export const Here = createContext(true);

/** False on a page that goes on out of sight. */
export function useHere(): boolean {
  return useContext(Here);
}
