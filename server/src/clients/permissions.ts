import type { CallerTags } from '../db/visibility.ts';

export const scopes = ['sync:write', 'sync:read', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** The roles of operators. Each has the permissions of those before it. */
export const roles = ['viewer', 'desk', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

interface Grant {
  /** API clients with this scope, or with `admin`, have the permission; null: no API client has it. */
  readonly scope: Scope | null;
  /** Operators with this role or a later one have the permission; null: no operator has it. */
  readonly role: Role | null;
  /** True if an operator must have confirmed its identity within the last minutes. */
  readonly confirmed?: true;
  /** True for what is about the whole service: no caller that is limited by tags has it. */
  readonly whole?: true;
}

/** The only place that decides who may do what. Each route declares the permission that it requires. */
const grants = {
  'records.read': { scope: 'sync:read', role: 'viewer' },
  'records.export': { scope: 'sync:read', role: 'editor' },
  'hashes.export': { scope: 'admin', role: 'admin', confirmed: true },
  'metrics.read': { scope: 'sync:read', role: 'viewer', whole: true },
  /** `irs/update`. Without `records.write` a record may only reset passwords. */
  'passwords.reset': { scope: 'sync:write', role: 'desk' },
  'states.write': { scope: 'sync:write', role: 'desk' },
  'users.invite': { scope: 'sync:write', role: 'desk' },
  'records.write': { scope: 'sync:write', role: 'editor' },
  'records.delete': { scope: 'sync:write', role: 'editor', confirmed: true },
  'runs.undo': { scope: 'admin', role: 'editor', confirmed: true },
  'jobs.read': { scope: 'sync:write', role: 'viewer' },
  'jobs.write': { scope: 'sync:write', role: 'editor' },
  /** Names the address of a user at its sign-in. */
  'addresses.send': { scope: 'sync:write', role: null },
  /** Calls, jobs, runs, mails and sessions of all clients that the caller sees. */
  'admin.read': { scope: 'admin', role: 'viewer' },
  /** The audit log, statistics, the state of the service, its settings, clients, operators and webhooks. */
  'service.read': { scope: 'admin', role: 'viewer', whole: true },
  'mails.resend': { scope: 'admin', role: 'desk' },
  'sessions.end': { scope: 'admin', role: 'desk' },
  /** A new API client may do what needs a confirmation. */
  'clients.write': { scope: 'admin', role: 'admin', confirmed: true, whole: true },
  'operators.read': { scope: 'admin', role: 'admin', whole: true },
  'operators.write': { scope: 'admin', role: 'admin', confirmed: true, whole: true },
  'webhooks.write': { scope: 'admin', role: 'admin', whole: true },
} as const satisfies Record<string, Grant>;

export type Permission = keyof typeof grants;
export const permissions = Object.keys(grants) as Permission[];

export const grantOf = (permission: Permission): Grant => grants[permission];

/** `tags` limit the caller. */
export function permissionsOfScopes(held: readonly Scope[], tags: CallerTags): ReadonlySet<Permission> {
  return permissionsWhere(tags, ({ scope }) => {
    return scope !== null && (held.includes(scope) || held.includes('admin'));
  });
}

/** `tags` limit the operator. */
export function permissionsOfRole(held: Role, tags: CallerTags): ReadonlySet<Permission> {
  return permissionsWhere(tags, ({ role }) => role !== null && roles.indexOf(role) <= roles.indexOf(held));
}

function permissionsWhere(tags: CallerTags, has: (grant: Grant) => boolean): ReadonlySet<Permission> {
  return new Set(
    permissions.filter((permission) => {
      const grant = grantOf(permission);
      return has(grant) && !(grant.whole && tags !== null);
    }),
  );
}
