import { createContext } from 'react';

/** Opens the dialog that creates the first API client, which stays open while its creation ends protected mode. */
export const OpenFirstClient = createContext<() => void>(() => {});
