import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Words } from './language/english.ts';
import type { IconName } from './parts/icon.tsx';

export interface ConsolePage {
  /** Below `/console`. */
  readonly path: string;
  /** What it answers to, where that is more than its path. */
  readonly route?: string;
  readonly name: keyof Words['pages'];
  readonly icon: IconName;
  /** For one on which work is done that a look at another page must not break off. */
  readonly stays?: boolean;
  /** Fetched when it is gone to. */
  readonly Show: LazyExoticComponent<ComponentType>;
}

/** Every page: its address, its place in the navigation, and where it is. */
export const pages: readonly ConsolePage[] = [
  {
    path: '/',
    name: 'overview',
    icon: 'overview',
    Show: lazy(async () => ({ default: (await import('./pages/overview/overview.tsx')).Overview })),
  },
  {
    path: '/principals',
    route: '/principals/:id?',
    name: 'principals',
    icon: 'people',
    Show: lazy(async () => ({ default: (await import('./pages/principals/principals.tsx')).Principals })),
  },
  {
    path: '/import',
    name: 'import',
    icon: 'upload',
    stays: true,
    Show: lazy(async () => ({ default: (await import('./pages/import/import.tsx')).Import })),
  },
  {
    path: '/calls',
    route: '/calls/:id?',
    name: 'calls',
    icon: 'calls',
    Show: lazy(async () => ({ default: (await import('./pages/calls/calls.tsx')).Calls })),
  },
  {
    path: '/jobs',
    route: '/jobs/:id?',
    name: 'jobs',
    icon: 'jobs',
    Show: lazy(async () => ({ default: (await import('./pages/jobs/jobs.tsx')).Jobs })),
  },
  {
    path: '/events',
    name: 'events',
    icon: 'events',
    Show: lazy(async () => ({ default: (await import('./pages/events/events.tsx')).Events })),
  },
  {
    path: '/webhooks',
    route: '/webhooks/:id?',
    name: 'webhooks',
    icon: 'webhooks',
    Show: lazy(async () => ({ default: (await import('./pages/webhooks/webhooks.tsx')).Webhooks })),
  },
  {
    path: '/clients',
    name: 'clients',
    icon: 'key',
    Show: lazy(async () => ({ default: (await import('./pages/clients/clients.tsx')).Clients })),
  },
  {
    path: '/audit',
    name: 'audit',
    icon: 'audit',
    Show: lazy(async () => ({ default: (await import('./pages/audit/audit.tsx')).Audit })),
  },
];
