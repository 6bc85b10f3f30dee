import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { CommonMessages } from '../i18n/en.ts';
import type { IconName } from '../ui/icon.tsx';

export interface ConsolePage {
  /** The path relative to `/console`. */
  readonly path: string;
  /** The route pattern, if the page matches more than its path. */
  readonly route?: string;
  readonly name: keyof CommonMessages['pages'];
  readonly icon: IconName;
  /** Keeps the page mounted while another page is shown, so that its work is not interrupted. */
  readonly stays?: boolean;
  /** The component, loaded on the first visit. */
  readonly Show: LazyExoticComponent<ComponentType>;
}

/** All pages in the order of the navigation. */
export const pages: readonly ConsolePage[] = [
  {
    path: '/',
    name: 'overview',
    icon: 'overview',
    Show: lazy(async () => ({ default: (await import('../features/overview/overview-page.tsx')).Overview })),
  },
  {
    path: '/principals',
    route: '/principals/:id?',
    name: 'principals',
    icon: 'people',
    Show: lazy(async () => ({
      default: (await import('../features/principals/principals-page.tsx')).Principals,
    })),
  },
  {
    path: '/import',
    name: 'import',
    icon: 'upload',
    stays: true,
    Show: lazy(async () => ({ default: (await import('../features/import/import-page.tsx')).Import })),
  },
  {
    path: '/calls',
    route: '/calls/:id?',
    name: 'calls',
    icon: 'calls',
    Show: lazy(async () => ({ default: (await import('../features/calls/calls-page.tsx')).Calls })),
  },
  {
    path: '/jobs',
    route: '/jobs/:id?',
    name: 'jobs',
    icon: 'jobs',
    Show: lazy(async () => ({ default: (await import('../features/jobs/jobs-page.tsx')).Jobs })),
  },
  {
    path: '/events',
    name: 'events',
    icon: 'events',
    Show: lazy(async () => ({ default: (await import('../features/events/events-page.tsx')).Events })),
  },
  {
    path: '/webhooks',
    route: '/webhooks/:id?',
    name: 'webhooks',
    icon: 'webhooks',
    Show: lazy(async () => ({ default: (await import('../features/webhooks/webhooks-page.tsx')).Webhooks })),
  },
  {
    path: '/clients',
    name: 'clients',
    icon: 'key',
    Show: lazy(async () => ({ default: (await import('../features/clients/clients-page.tsx')).Clients })),
  },
  {
    path: '/audit',
    name: 'audit',
    icon: 'audit',
    Show: lazy(async () => ({ default: (await import('../features/audit/audit-page.tsx')).Audit })),
  },
];
