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
}

/** The only place that decides who may do what. Each route declares the permission that it requires. */
const grants = {
  'records.read': { scope: 'sync:read', role: 'viewer' },
  'records.export': { scope: 'sync:read', role: 'editor' },
  'hashes.export': { scope: 'admin', role: 'admin', confirmed: true },
  'metrics.read': { scope: 'sync:read', role: 'viewer' },
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
  /** What `/admin/v1` shows of all clients. */
  'admin.read': { scope: 'admin', role: 'viewer' },
  'mails.resend': { scope: 'admin', role: 'desk' },
  'sessions.end': { scope: 'admin', role: 'desk' },
  'clients.write': { scope: 'admin', role: 'admin' },
  'operators.read': { scope: 'admin', role: 'admin' },
  'operators.write': { scope: 'admin', role: 'admin', confirmed: true },
  'webhooks.write': { scope: 'admin', role: 'admin' },
} as const satisfies Record<string, Grant>;

export type Permission = keyof typeof grants;
export const permissions = Object.keys(grants) as Permission[];

export const grantOf = (permission: Permission): Grant => grants[permission];

export function permissionsOfScopes(held: readonly Scope[]): ReadonlySet<Permission> {
  const has = ({ scope }: Grant) => scope !== null && (held.includes(scope) || held.includes('admin'));
  return new Set(permissions.filter((permission) => has(grantOf(permission))));
}

export function permissionsOfRole(held: Role): ReadonlySet<Permission> {
  const has = ({ role }: Grant) => role !== null && roles.indexOf(role) <= roles.indexOf(held);
  return new Set(permissions.filter((permission) => has(grantOf(permission))));
}
