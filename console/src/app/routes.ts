import type { ConsoleSession, Permission } from '@anagrafe/client';
import { type ComponentType, lazy } from 'react';
import { Overview } from '../features/overview/overview-page.tsx';
import type { Messages } from '../i18n/language.tsx';
import type { IconName } from '../ui/icon.tsx';

export interface ConsolePage {
  /** The path relative to `/console`. */
  readonly path: string;
  readonly name: keyof Messages['common']['pages'];
  readonly icon: IconName;
  /** Returns false for a session that has no use for the page. */
  readonly isFor?: (session: ConsoleSession) => boolean;
  /** The page is opened from elsewhere than the menu. */
  readonly isUnlisted?: boolean;
  /** The page also shows one object, whose ID follows the path. */
  readonly hasDetail?: boolean;
  /** Keeps the page mounted while another page is shown, so that its work is not interrupted. */
  readonly stays?: boolean;
  /** Loads the component before it is rendered for the first time. */
  readonly preload: () => Promise<void>;
  /** Returns the component; one that is not loaded yet suspends. It is the same component at every call. */
  readonly component: () => ComponentType;
}

function page(
  options: Omit<ConsolePage, 'preload' | 'component'>,
  load: () => Promise<ComponentType>,
): ConsolePage {
  let loaded: ComponentType | undefined;
  let shown: ComponentType | undefined;
  return {
    ...options,
    async preload() {
      loaded = await load();
    },
    component() {
      shown ??= loaded ?? lazy(async () => ({ default: await load() }));
      return shown;
    },
  };
}

const having =
  (permission: Permission) =>
  ({ Permissions }: ConsoleSession) =>
    Permissions.includes(permission);

/** All pages in the order of the navigation. The overview, where most visits begin, is part of the first chunk. */
export const pages: readonly ConsolePage[] = [
  page({ name: 'overview', path: '/', icon: 'overview' }, async () => Overview),
  page(
    { name: 'principals', path: '/principals', icon: 'people', hasDetail: true },
    async () => (await import('../features/principals/principals-page.tsx')).Principals,
  ),
  page(
    { name: 'users', path: '/users', icon: 'user', hasDetail: true },
    async () => (await import('../features/users/users-page.tsx')).Users,
  ),
  page(
    { name: 'import', path: '/import', icon: 'upload', isFor: having('records.write'), stays: true },
    async () => (await import('../features/import/import-page.tsx')).Import,
  ),
  page(
    { name: 'sync', path: '/sync', icon: 'sync', isFor: having('records.write'), stays: true },
    async () => (await import('../features/sync/sync-page.tsx')).Sync,
  ),
  page(
    { name: 'runs', path: '/runs', icon: 'history', hasDetail: true },
    async () => (await import('../features/runs/runs-page.tsx')).Runs,
  ),
  page(
    { name: 'calls', path: '/calls', icon: 'calls', hasDetail: true },
    async () => (await import('../features/calls/calls-page.tsx')).Calls,
  ),
  page(
    { name: 'jobs', path: '/jobs', icon: 'jobs', hasDetail: true },
    async () => (await import('../features/jobs/jobs-page.tsx')).Jobs,
  ),
  page(
    { name: 'mails', path: '/mails', icon: 'mail' },
    async () => (await import('../features/mails/mails-page.tsx')).Mails,
  ),
  page(
    { name: 'events', path: '/events', icon: 'events' },
    async () => (await import('../features/events/events-page.tsx')).Events,
  ),
  page(
    { name: 'webhooks', path: '/webhooks', icon: 'webhooks', isFor: having('service.read'), hasDetail: true },
    async () => (await import('../features/webhooks/webhooks-page.tsx')).Webhooks,
  ),
  page(
    { name: 'clients', path: '/clients', icon: 'key', isFor: having('service.read') },
    async () => (await import('../features/clients/clients-page.tsx')).Clients,
  ),
  page(
    { name: 'operators', path: '/operators', icon: 'people', isFor: having('service.read') },
    async () => (await import('../features/operators/operators-page.tsx')).Operators,
  ),
  page(
    { name: 'setup', path: '/setup', icon: 'check', isUnlisted: true, isFor: having('clients.write') },
    async () => (await import('../features/setup/setup-page.tsx')).Setup,
  ),
  page(
    {
      name: 'account',
      path: '/account',
      icon: 'user',
      isUnlisted: true,
      isFor: ({ Operator }) => Operator !== null,
    },
    async () => (await import('../features/operators/account-page.tsx')).Account,
  ),
  page(
    { name: 'audit', path: '/audit', icon: 'audit', isFor: having('service.read') },
    async () => (await import('../features/audit/audit-page.tsx')).Audit,
  ),
  page(
    { name: 'health', path: '/health', icon: 'overview', isFor: having('service.read') },
    async () => (await import('../features/health/health-page.tsx')).Health,
  ),
];

/** Returns the page of a path relative to `/console`. */
export function pageOf(path: string): ConsolePage | undefined {
  return pages.find((one) =>
    one.path === '/' ? path === '/' : path === one.path || path.startsWith(`${one.path}/`),
  );
}

/** Returns the pages that a session has a use for. After its expiry the pages stay mounted, hidden, for the next sign-in. */
export function pagesFor(session: ConsoleSession | undefined): readonly ConsolePage[] {
  const isUnknown = !session || session.State === 'signed-out';
  return pages.filter(({ isFor }) => isUnknown || !isFor || isFor(session));
}
