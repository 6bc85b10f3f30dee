import type { AuditAction, Delivery } from '@anagrafe/client';
import type { FileError, PrincipalField, RowError, RowUnit, SyncTotals, UserField } from '@anagrafe/importer';
import { sentence } from './sentence.ts';

const principalLabels: Readonly<Record<PrincipalField, string>> = {
  ExternalKey: 'External key',
  Denomination: 'Company name',
  Surname: 'Last name',
  Name: 'First name',
  Vatnumber: 'VAT number',
  Taxcode: 'Tax code',
  Email: 'Email',
  Tags: 'Tags',
};

const userLabels: Readonly<Record<UserField, string>> = {
  Email: 'Email',
  Phone: 'Phone',
  FirstName: 'First name',
  LastName: 'Last name',
  Language: 'Language',
  Attributes: 'Attributes',
};

export const common = {
  product: 'Anagrafe',
  skip: 'Skip to content',
  navigation: 'Main navigation',
  pages: {
    overview: 'Overview',
    principals: 'Principals',
    users: 'Users',
    import: 'Import',
    sync: 'Synchronise',
    runs: 'Import history',
    calls: 'Calls',
    jobs: 'Jobs',
    mails: 'Mails',
    events: 'Events',
    webhooks: 'Webhooks',
    clients: 'API clients',
    operators: 'Operators',
    account: 'My account',
    setup: 'Set-up',
    health: 'Health and settings',
    audit: 'Audit log',
  },
  openMenu: 'Open menu',
  closeMenu: 'Close menu',
  opening: 'Loading console …',
  loading: 'Loading …',
  language: 'Language',
  scheme: { label: 'Theme', light: 'Light', dark: 'Dark', auto: 'System' },
  reference: 'API reference',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  signIn: {
    title: 'Sign in',
    ended: 'Your session has expired. Sign in again within 15 minutes to continue your work.',
    notSignedOut: 'Sign-out failed. Your session in this browser may still be active.',
    publicKey: 'Public key',
    publicKeyHint: 'Or paste both keys: public.secret',
    secretKey: 'Secret key',
    submit: 'Sign in',
    email: 'Email',
    password: 'Password',
    code: 'Code',
    codeHint: 'The six digits of your authenticator app, or a recovery code.',
    otherAccount: 'Use another account',
    forgotten: 'Forgot your password?',
    haveCode: 'I have a code to set my password',
    byKeys: 'Sign in with an API key',
    byEmail: 'Sign in with email and password',
    missing: 'Enter both keys.',
    keysHelp: 'API keys are for the first set-up and for programs. Create a client on the server:',
    personHelp: 'No account yet? An administrator invites you, or creates the first operator on the server:',
    commandName: 'Command',
    keysCommand: 'npx --no -- anagrafe client create --name console --scope admin',
    personCommand: 'npx --no -- anagrafe operator create anna@example.com --name "Anna Bianchi" --role admin',
  },
  protected: {
    title: 'Protected mode',
    text: 'There is no API client yet, so the service accepts calls from this machine only, without a key. Once the first client exists, every call needs a key and other machines can connect.',
    action: 'Start set-up',
    dialog: 'First API client',
    intro: 'This client has all scopes. You are signed in with it right away.',
    name: 'Name',
    usual: 'console',
    introOperator: 'For your programs: this client has the scopes sync:write and sync:read.',
    createOnly: 'Create client',
    create: 'Create and sign in',
    notSignedIn: 'Client created, but sign-in failed. Sign in with these keys.',
  },
  secret: {
    once: 'The secret key is shown only once. Store it in a safe place.',
    publicKey: 'Public key',
    secretKey: 'Secret key',
    both: 'Both keys, for Authorization: Bearer',
    stored: 'Done',
  },
  copy: (what: string) => `Copy: ${what}`,
  copied: 'Copied',
  clearSearch: 'Clear search',
  finder: {
    open: 'Search',
    title: 'Search',
    label: 'Page, principal or user',
    placeholder: 'Page, name, external key, VAT number, tax code, user, email, phone',
    found: 'Results',
    page: 'Page',
    nothing:
      'No results. Search matches the start of names, keys and emails, and the last digits of phone numbers.',
    choose: 'select',
    go: 'open',
    close: 'close',
  },
  cancel: 'Cancel',
  close: 'Close',
  confirm: { type: (name: string) => `Type ${name} to confirm` },
  table: {
    retry: 'Retry',
    failed: 'Loading failed',
    page: (page: string, pages: string) => `Page ${page} of ${pages}`,
    range: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    pages: (of: string) => `Pagination: ${of}`,
    beyond: {
      title: 'No results on this page',
      hint: 'The list has fewer pages.',
      action: 'Go to last page',
    },
    newest: 'Show newest',
    behind: 'There are many new entries.',
    older: 'Show older',
    noOlder: 'No older entries.',
  },
  failure: {
    unreachable: 'Cannot reach the service. Check that it is running and that you are online, then retry.',
    strange: 'Unexpected answer, possibly from a proxy. Retry, or contact your administrator.',
    again: 'Your session had expired and nothing was changed. You are signed in again: retry.',
    unknown: 'Something went wrong. Reload the page; if it happens again, contact your administrator.',
    request: (id: string) => `Request ID: ${id} (quote it to support)`,
  },
  notFound: {
    title: 'Page not found',
    text: 'The console has no page at this URL.',
    action: 'Go to overview',
  },
  never: 'never',
};

export const actor = {
  client: (name: string) => name,
  console: (name: string) => `${name} (console)`,
  user: (id: number | null) => (id === null ? 'unknown user' : `user ${id}`),
  protected: 'local user (no API client yet)',
  operator: 'operator (command line)',
  service: 'service',
  unknownClient: (id: number | null) => `client ${id ?? '?'}`,
};

export interface Advice {
  readonly what: string;
  readonly todo: string;
}

const causes = {
  moved: {
    what: 'The receiver returned a redirect',
    todo: 'Redirects are not followed. Change the endpoint URL of the webhook to the new address.',
  },
  unauthorized: {
    what: 'The receiver refused access',
    todo: 'Check that the receiver has the secret of this webhook and that its clock is correct. If the secret is lost, rotate it. If the URL requires a login, allow requests without one.',
  },
  notFound: {
    what: 'The endpoint was not found',
    todo: 'Check the endpoint URL. It must accept POST requests.',
  },
  gone: {
    what: 'The endpoint no longer exists (410)',
    todo: 'Change the endpoint URL, or delete the webhook.',
  },
  tooMany: {
    what: 'The receiver limits the number of requests (429)',
    todo: 'The delivery is retried automatically. To send fewer deliveries, choose one per record, or one per call or job.',
  },
  rejected: {
    what: 'The receiver rejected the delivery',
    todo: 'Check the answer below, fix the receiver, then resend the delivery.',
  },
  broken: {
    what: 'The receiver returned an error (5xx)',
    todo: 'Check the log of the receiver at the time of the last attempt. Fix the receiver, then resend the delivery.',
  },
  slow: {
    what: 'The receiver timed out',
    todo: 'The limit is 15 seconds: answer first, process later. If there is never an answer, check the firewall.',
  },
  internal: {
    what: 'The address is in a blocked internal network',
    todo: 'To allow it, add its network to ANAGRAFE_WEBHOOK_NETWORKS and restart the service.',
  },
  plainHttp: {
    what: 'https required',
    todo: 'Use an https URL, or add the network to ANAGRAFE_WEBHOOK_NETWORKS and restart the service.',
  },
  closed: {
    what: 'Connection refused',
    todo: 'Check that the receiver is running and that host and port of the URL are correct.',
  },
  cut: {
    what: 'Connection reset',
    todo: 'The receiver or a proxy closed the connection without an answer. Check its log at the time of the last attempt.',
  },
  unknownName: {
    what: 'Host name not found',
    todo: 'Check the spelling of the host name, and that the server can resolve it.',
  },
  unreachable: {
    what: 'Host unreachable',
    todo: 'Check the network and the firewall of the server.',
  },
  insecure: {
    what: 'TLS connection failed',
    todo: 'Check the certificate of the receiver: expiry date, host name, complete chain. For a private certificate authority, set NODE_EXTRA_CA_CERTS.',
  },
  strange: {
    what: 'The answer is not HTTP',
    todo: 'Check the port of the URL, and whether it should be http or https.',
  },
  forgotten: {
    what: 'The event has expired',
    todo: 'It is no longer stored and cannot be sent. Update the receiver from the lists of principals and users.',
  },
  other: {
    what: 'Delivery failed',
    todo: 'Send a test event and check the log of the receiver.',
  },
} satisfies Record<string, Advice>;

export const failureCause = {
  causes,
  byHand: 'Disabled manually',
  clientRevoked: 'The client that created it was revoked',
  clientLostAdmin: 'The client that created it lost the scope admin',
  answered: (status: string) => `The receiver answered with ${status}`,
  unknown: (why: string) => (why === '' ? causes.other.what : `${causes.other.what}: ${why}`),
};

/** Causes of a failed delivery; `other` if there is no specific advice. */
export type Cause = keyof typeof causes;

export const eventType: Readonly<Record<Delivery['Type'], string>> = {
  'principal.inserted': 'Principal created',
  'principal.updated': 'Principal changed',
  'principal.state_changed': 'Principal state changed',
  'principal.merged': 'Principals merged',
  'principal.deleted': 'Principal deleted',
  'user.registered': 'User registered',
  'user.password_reset': 'Password reset',
  'user.invited': 'User invited',
  'user.updated': 'User changed',
  'user.state_changed': 'User state changed',
  'user.moved': 'User moved',
  'user.deleted': 'User deleted',
  'call.completed': 'Call completed',
  'job.completed': 'Job completed',
  'webhook.disabled': 'Webhook disabled',
  'webhook.test': 'Test event',
};

/** Joins a formatted number with its noun, in the plural unless it is 1: "1 record", "12 records". */
const plural = (count: string, noun: string) => `${count} ${noun}${count === '1' ? '' : 's'}`;

export const auditRow = {
  inserted: 'Principal created.',
  changed: (fields: string) => `Principal changed: ${fields}.`,
  deleted: 'Principal deleted with all its users.',
  userChanged: (users: string) => `Changed: ${users}.`,
  userDeleted: (users: string) => `Deleted: ${users}.`,
  merged: (principal: number, key: string | null) =>
    `Principal ${principal}${key === null ? '' : ` (${key})`} merged into this one.`,
  mergedInto: (principal: number) => `Merged into principal ${principal}.`,
  moved: (users: string, principal: number) => `Moved here from principal ${principal}: ${users}.`,
  movedAway: (users: string, principal: number) => `Moved to principal ${principal}: ${users}.`,
  registered: (users: string) => `Registered: ${users}.`,
  reset: (users: string) => `Password reset: ${users}.`,
  invited: (users: string) => `Invited: ${users}.`,
  principalState: { disabled: 'Principal disabled.', active: 'Principal enabled.' },
  userState: {
    disabled: (users: string) => `Disabled: ${users}.`,
    active: (users: string) => `Enabled: ${users}.`,
  },
  sameState: 'No changes.',
  user: (id: number) => `user ${id}`,
  andMore: (users: string, _others: number, formatted: string) => `${users} and ${formatted} more`,
  actions: {
    'call.completed': ({ count }) =>
      `Call completed: ${plural(count('records'), 'record')}, ${count('recordsFailed')} failed.`,
    'job.submitted': ({ count }) =>
      `Job submitted: ${plural(count('records'), 'record')}, ${plural(count('users'), 'user')}.`,
    'job.completed': ({ count }) =>
      `Job completed: ${plural(count('records'), 'record')}, ${count('recordsFailed')} failed.`,
    'job.cancelled': () => 'Job cancelled.',
    'records.read': ({ count, details, principal }) => {
      if (details.call === 'failed') return 'Failed records downloaded.';
      if (details.call === 'users') return `Users read: ${count('count')}.`;
      return principal === null ? `Principals read: ${count('count')}.` : 'Principal read.';
    },
    'records.exported': ({ details, principal }) => {
      const subject = details.all
        ? 'All records'
        : principal === null
          ? 'Principal'
          : `Principal ${principal}`;
      return `${subject} exported${details.hashes ? ' with password hashes' : ''}.`;
    },
    login: ({ user }) => `Signed in: ${user}.`,
    'login.failed': ({ user }) =>
      user === null ? 'Sign-in failed: unknown username.' : `Sign-in failed: ${user}.`,
    'login.refreshed': ({ user }) => `Session refreshed: ${user}.`,
    'login.reused': ({ user }) => `Refresh token used twice, session revoked: ${user}.`,
    logout: ({ user }) => `Signed out: ${user}.`,
    'sessions.ended': ({ user, count }) => `Sessions of ${user} ended: ${count('sessions')}.`,
    'password.forgotten': ({ user }) =>
      user === null
        ? 'Forgotten password reported: unknown account.'
        : `Forgotten password reported: ${user}.`,
    'invitations.issued': ({ count }) => `Invitation codes issued: ${count('count')}.`,
    'console.login': () => 'Signed in to the console.',
    'console.logout': () => 'Signed out of the console.',
    'client.created': ({ details }) => `API client ${details.name} created.`,
    'client.changed': ({ client }) => `API client ${client} updated.`,
    'client.rotated': ({ client }) => `Secret of API client ${client} rotated.`,
    'client.revoked': ({ client }) => `API client ${client} revoked.`,
    'client.denied': ({ client, count, details }) =>
      details.why === 'address'
        ? `API client ${client} denied: IP address not allowed (attempt ${count('attempts')} within an hour).`
        : `API client ${client} denied: wrong secret (attempt ${count('attempts')} within an hour).`,
    'operator.created': ({ details }) => `Operator ${details.name} created.`,
    'operator.changed': ({ details }) => `Operator ${details.operator} updated.`,
    'operator.reset': ({ details }) => `Password and second factor of operator ${details.operator} reset.`,
    'operator.password': ({ details }) => `Operator ${details.operator} set its password.`,
    'operator.forgotten': ({ details }) => `Operator ${details.operator} reported a forgotten password.`,
    'operator.second_factor': ({ details }) => `Operator ${details.operator} set up the second factor.`,
    'operator.denied': ({ details }) =>
      details.operator === null
        ? 'Operator denied: unknown email address.'
        : `Operator ${details.operator} denied: wrong password or code.`,
    'operator.refused': ({ details, count }) =>
      `Operator ${details.operator} refused: the role ${details.role} does not allow ${details.permission} (attempt ${count('attempts')} within an hour).`,
    'operator.sessions_ended': ({ details, count }) =>
      `Sessions of operator ${details.operator} ended: ${count('ended')}.`,
    'webhook.created': ({ details, url }) => `Webhook ${details.webhook}${url} created.`,
    'webhook.changed': ({ details, url }) => `Webhook ${details.webhook}${url} updated.`,
    'webhook.rotated': ({ details }) => `Secret of webhook ${details.webhook} rotated.`,
    'webhook.deleted': ({ details, url }) => `Webhook ${details.webhook}${url} deleted.`,
    'webhook.disabled': ({ details, url, why }) => `Webhook ${details.webhook}${url} disabled. ${why}.`,
    'webhook.replayed': ({ details, count }) =>
      `Deliveries of webhook ${details.webhook} resent: ${count('count')}.`,
    'master_key.rotated': ({ details }) => `Master key ${details.from} replaced by ${details.to}.`,
  } satisfies Record<string, (values: AuditRowValues) => string>,
};

export interface AuditRowValues {
  readonly principal: number | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly user: string | null;
  readonly client: string;
  /** The URL of the webhook in brackets, after a space; empty if the row has none. */
  readonly url: string;
  readonly why: string;
  count(name: string): string;
}

export const result = {
  operation: {
    update: 'Update users',
    insert: 'Create principals',
    upsert: 'Create and update',
    state: 'Change state',
    delete: 'Delete',
    merge: 'Merge',
    undo: 'Undo',
    invite: 'Invite users',
  },
  progress: {
    users: (done: string, all: string) => `${done} of ${all} users`,
    records: (done: string, all: string) => `${done} of ${all} records`,
    cancelled: (applied: string, others: string) => `Applied ${applied} · Cancelled or failed ${others}`,
    failed: (count: string) => `${count} failed`,
    waiting: 'queued',
    rate: (rate: string) => `${rate} users per second`,
    ends: 'Ends',
  },
  tuples: {
    title: 'Records',
    caption: 'Results of the records',
    position: 'No.',
    principal: 'Principal',
    outcome: 'Result',
    reason: 'Errors',
    applied: 'Applied',
    notApplied: 'Failed',
    cancelled: 'Cancelled',
    none: 'No results yet',
    noneHint: 'Records appear here once they are processed.',
    noneFailed: 'No failed records',
    noneFailedHint: 'Turn off the filter to see the applied records.',
    moreFields: (count: string) => `and ${count} more fields; download the failed records to see all`,
  },
  failedOnly: 'Failed only',
  failedFile: {
    action: 'Download failed records',
    hint: 'The failed records with their field errors, without passwords. Correct and resend them.',
    saved: 'Failed records downloaded. Correct them, add the passwords and resend them.',
  },
  noValue: 'empty',
  changes: {
    subject: 'Principal or user',
    action: 'Action',
    fields: 'Fields',
    filter: 'Filter by action',
    all: (count: string) => `All changes (${count})`,
    line: (line: string) => `Line ${line}`,
    from: (principal: string) => `From ${principal}`,
    missing: 'Not in the file',
    actions: {
      insert: 'Create',
      register: 'Register',
      edit: 'Change',
      restore: 'Restore',
      move: 'Move',
      disable: 'Disable',
      delete: 'Delete',
      keep: 'Keep',
      fail: 'Left out',
    },
  },
  user: (number: string) => `User ${number}`,
  fields: {
    Record: 'Record',
    ID: 'ID',
    ...principalLabels,
    Users: 'Users',
    Username: 'Username',
    ...userLabels,
    Password: 'Password',
    ConfirmPassword: 'Password confirmation',
    CurrentPassword: 'Current password',
    PasswordHash: 'Password hash',
    NewUsername: 'Username',
    NewExternalKey: 'External key',
    Aliases: 'External keys of merged principals',
    Operation: 'Operation',
    State: 'State',
    MustChangePassword: 'Must change password',
    Invite: 'Invitation',
  } as Record<string, string>,
};

export const audit = {
  title: 'Audit log',
  intro: 'Every change with time and actor, newest first.',
  caption: 'Entries',
  columns: { position: 'Position', at: 'Time', actor: 'Actor', principal: 'Principal', action: 'Action' },
  empty: { title: 'No entries yet', hint: 'Changes appear here within a second.' },
  emptyOf: {
    title: 'No entries match the filter',
    hint: 'Choose another filter, or show all entries. Entries expire after some time.',
  },
  find: {
    position: 'Position',
    principal: 'Principal ID',
    go: 'Go',
    user: 'User ID',
    actor: 'Actor',
    anyActor: 'All actors',
    action: 'Action',
    anyAction: 'All actions',
    from: 'From day',
    until: 'To day',
    reads: 'Include reads',
    all: 'Show all',
    of: (id: string) => `Entries of principal ${id}.`,
    ofUser: (id: string) => `Entries of user ${id}.`,
    fromPosition: (position: string) => `Position ${position} and older. Live updates are paused.`,
  },
  actorKinds: {
    user: 'Signed-in users',
    protected: 'Local user (no API client yet)',
    operator: 'Operator (command line)',
    service: 'Service',
  },
  actions: {
    insert: 'Principal created',
    update: 'Principal or users changed',
    state: 'State changed',
    delete: 'Principal deleted',
    'call.completed': 'Call completed',
    'job.submitted': 'Job submitted',
    'job.completed': 'Job completed',
    'job.cancelled': 'Job cancelled',
    'records.read': 'Records read',
    'records.exported': 'Records exported',
    login: 'Sign-in',
    'login.failed': 'Failed sign-in',
    'login.refreshed': 'Session refreshed',
    'login.reused': 'Refresh token used twice',
    logout: 'Sign-out',
    'password.forgotten': 'Forgotten password reported',
    'invitations.issued': 'Invitation codes issued',
    'sessions.ended': 'Sessions ended',
    'console.login': 'Console sign-in',
    'console.logout': 'Console sign-out',
    'client.created': 'API client created',
    'client.changed': 'API client updated',
    'client.rotated': 'API client secret rotated',
    'client.revoked': 'API client revoked',
    'client.denied': 'API client denied',
    'operator.created': 'Operator created',
    'operator.changed': 'Operator updated',
    'operator.reset': 'Operator reset',
    'operator.password': 'Operator password set',
    'operator.forgotten': 'Operator password forgotten',
    'operator.second_factor': 'Second factor set up',
    'operator.denied': 'Operator denied',
    'operator.refused': 'Operator refused',
    'operator.sessions_ended': 'Operator sessions ended',
    'webhook.created': 'Webhook created',
    'webhook.changed': 'Webhook updated',
    'webhook.rotated': 'Webhook secret rotated',
    'webhook.deleted': 'Webhook deleted',
    'webhook.disabled': 'Webhook disabled',
    'webhook.replayed': 'Deliveries resent',
    'master_key.rotated': 'Master key replaced',
  } satisfies Record<AuditAction, string>,
  details: 'Details',
  detail: {
    action: 'Action code',
    entry: 'Entry ID',
    address: 'IP address',
    request: 'Request ID',
    call: 'Call ID',
    registered: 'Users registered',
    reset: 'Passwords reset',
    deleted: 'Users deleted',
    data: 'Data',
    hash: 'Hash',
  },
  others: (count: string) => `and ${count} more`,
  values: {
    restore: 'Restore',
    restored: (field: string) => `${field}: old value restored.`,
    same: 'The old value is stored already.',
    gone: 'It no longer exists. Nothing was restored.',
    changed: (value: string | null) =>
      `The value has changed again since, to ${value ?? 'empty'}. Nothing was restored.`,
    all: (count: string) => `Show all ${count} values`,
    more: 'Load more values',
  },
  chain: {
    title: 'Audit log integrity',
    text: 'Verify that no row was changed, removed or inserted in the database. To also detect the removal of the newest rows later, store the last hash outside the database.',
    verify: 'Verify audit log',
    sound: 'Verified',
    soundText: (rows: string) => `All ${rows} rows are intact.`,
    broken: 'Verification failed',
    brokenText: (rows: string, position: string, error: string) =>
      `A row was ${error} at position ${position}. Rows intact: ${rows}.`,
    errors: {
      changed: 'changed',
      removed: 'removed',
      inserted: 'inserted',
      'cut off': 'removed from the end',
      'values changed': 'found with a changed old or new value',
    },
    end: 'Last hash',
    endHint:
      'Store it outside the database. To compare it later, run anagrafe audit verify --expect on the server.',
  },
};

export const calls = {
  title: 'Calls',
  intro: 'Synchronous API calls, newest first. Dry runs excluded.',
  caption: 'Calls',
  failedOnly: 'With failed records only',
  columns: {
    at: 'Time',
    call: 'Call',
    actor: 'Actor',
    records: 'Records',
    failed: 'Failed',
    users: 'Users processed',
    took: 'Duration',
  },
  milliseconds: (count: string) => `${count} ms`,
  empty: {
    title: 'No calls yet',
    hint: 'Calls that create, change or delete principals and users appear here.',
  },
  emptyFailed: {
    title: 'No calls with failed records',
    hint: 'Turn off the filter to see all calls.',
  },
  one: (id: string) => `Call ${id}`,
  all: 'All calls',
  figures: 'Summary',
  facts: {
    at: 'Time',
    operation: 'Operation',
    actor: 'Actor',
    address: 'IP address',
    request: 'Request ID',
    records: 'Records',
    failed: 'Failed',
    users: 'Users',
    usersApplied: 'Users processed',
    took: 'Duration',
    id: 'Call ID',
  },
};

export const tags = {
  label: 'Limit to tags',
  hint: 'Sees only the principals with one of these tags. They cannot be changed later. Leave empty for all principals.',
  filter: 'Tag',
};

export const clients = {
  title: 'API clients',
  intro: 'Programs that can call the API, each with its own keys.',
  caption: 'API clients',
  create: 'New client',
  columns: {
    name: 'Name',
    publicKey: 'Public key',
    scopes: 'Scopes',
    networks: 'Allowed IPs',
    created: 'Created',
    actions: 'Actions',
  },
  anywhere: 'any',
  knownByAddress: 'identified by IP address',
  revoked: 'Revoked',
  you: 'you',
  empty: {
    title: 'No clients yet',
    hint: 'Until the first client exists, the service accepts calls from this machine only.',
    action: 'Create client',
  },
  actionsOf: (name: string) => `Actions for ${name}`,
  edit: 'Edit',
  rotate: 'Rotate secret',
  revoke: 'Revoke',
  form: {
    createTitle: 'New client',
    editTitle: (name: string) => `Client ${name}`,
    name: 'Name',
    nameHint: 'For example erp, crm, import',
    scopes: 'Scopes',
    scope: {
      'sync:write': 'sync:write – register users, reset passwords, create principals, change states',
      'sync:read': 'sync:read – read principals, users and events',
      admin: 'admin – everything, including this console',
    },
    scopesMissing: 'Select at least one scope.',
    networks: 'Allowed IP addresses',
    networksHint: 'Addresses or networks, one per line, such as 10.0.0.0/8. Leave empty to allow any.',
    knownByAddress: 'Identify by IP address',
    knownByAddressHint:
      'Calls from the allowed IP addresses need no key. Only for programs that cannot send one.',
    submitCreate: 'Create client',
    submitEdit: 'Save',
    ownScope: 'You are signed in with this client. Without the scope admin, your session ends.',
  },
  created: (name: string) => `Client ${name} created`,
  saved: (name: string) => `Client ${name} saved. Changes apply from its next call.`,
  rotateTitle: (name: string) => `New secret for ${name}`,
  rotateText: 'Both secrets are valid for a while, so that you can update the program without downtime.',
  hours: 'Keep the old secret valid for (hours)',
  hoursHint: '0 ends it immediately.',
  rotateSubmit: 'Rotate secret',
  rotateOwn: 'You are signed in with this client. You stay signed in with the new secret.',
  oldEnds: (moment: string) => `Old secret valid until ${moment}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText:
    'Its keys stop working immediately. This cannot be undone. Its entries in the audit log are kept.',
  revokeOwn: 'You are signed in with this client: your session ends.',
  revokedNotice: (name: string) => `Client ${name} revoked.`,
};

export const events = {
  title: 'Events',
  intro: 'Events as sent to webhooks, newest first.',
  caption: 'Events',
  type: 'Event type',
  allTypes: 'All types',
  columns: { id: 'Event ID', at: 'Time', type: 'Event', about: 'Subject' },
  empty: { title: 'No events yet', hint: 'New users, password resets and completed calls appear here.' },
  emptyType: { title: 'No events of this type', hint: 'New events appear here.' },
  emptySoFar: { title: 'No recent events of this type', hint: 'Show older events, or select another type.' },
  reached: (moment: string) => `Searched back to ${moment}.`,
  reachedAll: 'Searched all stored events.',
  about: {
    principal: (id: number, key: string | null) =>
      key === null ? `principal ${id}` : `principal ${id} (${key})`,
    user: (id: number, name: string | null) => (name === null ? `user ${id}` : `user ${id}, ${name}`),
    state: { active: 'enabled', disabled: 'disabled' },
    records: (records: string, failed: string) => `${plural(records, 'record')}, ${failed} failed`,
    webhook: (id: number, url: string) => `webhook ${id}, ${url}`,
  },
};

const resetInImport =
  'This row resets a password; an import only registers users. Reset it on the page of the principal, or use "anagrafe reset".';

/** Formatted numbers of the effects of a plan. */
export interface PlanCounts {
  readonly principalsInserted: string;
  readonly principalsUpdated: string;
  readonly usersRegistered: string;
  readonly usersUpdated: string;
  readonly unchanged: string;
}

export const imports = {
  title: 'Import',
  intro: 'Create and update users from a file. Check a preview first, then confirm.',
  choose: {
    title: 'File',
    drop: 'Drop a CSV, Excel (.xlsx), JSON or NDJSON file here',
    button: 'Choose file',
    hint: (rows: string) =>
      `The first line contains the column names, such as Username, Email, Password, ExternalKey. Up to ${rows} rows; for larger files use the command line:`,
    command: 'npx --no -- anagrafe import users.csv',
    commandName: 'Command',
    reading: 'Reading file …',
    failed: 'Cannot read this file',
    tooMany: (rows: string) =>
      `The file has more than ${rows} rows. Import it with "anagrafe import", which has no limit.`,
    noRows: 'The file has no rows.',
    unreadable: 'The browser cannot open the file. Check that it still exists and that you may read it.',
  },
  another: 'Choose another file',
  drop: {
    title: 'Discard this file?',
    text: 'Your corrections, the failed rows and generated passwords that you have not downloaded will be lost. To keep them, download them first.',
    action: 'Discard file',
  },
  rowsOf: (name: string, rows: string) => `${name} (${plural(rows, 'row')})`,
  columns: {
    title: 'Columns',
    caption: 'Columns of the file',
    name: 'Column',
    samples: 'Sample values',
    field: 'Maps to',
    fieldOf: (column: string) => `${column} maps to`,
    unnamed: (place: string) => `Column ${place}`,
    notRead: 'Skip',
    hidden: 'hidden',
    records: 'The file contains whole records with their users. There are no columns to map.',
    saved: 'Mapped as in the last file with these columns.',
    recognise: 'Map by column names',
  },
  principal: {
    label: 'Default principal for rows without one',
    by: 'Identified by',
    id: 'ID',
    externalKey: 'External key',
    value: 'ID or external key',
    hint: 'Leave empty if every row has a principal.',
    wrong: 'Enter a whole number from 1.',
  },
  principalField: (label: string) => `Principal: ${label}`,
  fields: {
    UserID: 'User ID (password resets only)',
    Username: 'Username',
    Password: 'Password',
    ConfirmPassword: 'Password confirmation',
    PasswordHash: 'Password hash',
    State: 'State',
    PrincipalState: 'Principal: state',
    Similar: 'Principal: accepts a similar one',
  },
  options: {
    title: 'Options',
    mode: 'Existing principals and users',
    create: 'Create only',
    createHint: 'Rows that differ from what is stored are refused and shown with both values.',
    update: 'Create and update',
    updateHint: 'Fields that differ are changed. You see all changes before the import. Passwords are kept.',
    passwords: 'Generate passwords',
    passwordsHint:
      'For new users without a password. Download the passwords after the import: they are not stored.',
    invites: 'Invite new users',
    invitesHint: 'New users without a password choose one themselves.',
    similar: 'Create principals that look like others',
    similarHint:
      'Otherwise a new principal with the VAT number, tax code or name of another one, or with its key in another spelling, is refused and shown beside it.',
  },
  similar: {
    title: 'The principal looks like another one.',
    own: 'This row',
    stored: (id: string) => `Stored, ID ${id}`,
    earlier: 'Earlier in the file',
    empty: 'empty',
    hidden: 'You may not read the other principal.',
    allowRow: 'Both are right: create this one too',
  },
  plan: {
    title: 'Changes',
    caption: 'Changes that the import would make',
    summary: (counts: PlanCounts) =>
      [
        `Principals: ${counts.principalsInserted} new, ${counts.principalsUpdated} changed.`,
        `Users: ${counts.usersRegistered} new, ${counts.usersUpdated} changed.`,
        `Records without changes: ${counts.unchanged}.`,
      ].join(' '),
    hint: 'The import is refused if the stored data changes before you confirm.',
    none: 'No changes',
    noneHint: 'All values of the file are stored already.',
  },
  passwords: {
    title: (formatted: string, count: number) =>
      count === 1 ? '1 generated password' : `${formatted} generated passwords`,
    once: 'Download the passwords now. They are stored nowhere and cannot be shown again. Keep the file safe, and delete it when the users have their passwords.',
    download: 'Download passwords',
  },
  warnings: {
    title: 'Values to check',
    hint: 'Rows without errors will still be imported.',
    codes: {
      TRIMMED: 'spaces before or after the value are removed',
      LEADING_ZEROS_LOST: 'zeros at the beginning of the number seem to be lost',
      VATNUMBER_INVALID: 'not a valid Italian VAT number',
      TAXCODE_INVALID: 'not a valid Italian tax code',
      ROW_REPEATED: 'exact copy of an earlier row, which is left out,',
    },
    ofField: (field: string, text: string, rows: string, lines: readonly string[], unit: RowUnit) =>
      `${field}: ${text} in ${plural(rows, 'row')} (${lines.length > 1 ? `${unit}s` : unit} ${lines.join(', ')})`,
    contents: {
      empty: 'empty',
      emails: 'email addresses',
      dates: 'dates',
      numbers: 'numbers',
      booleans: 'yes or no',
      texts: 'text',
    },
    unused: (column: string, content: string, rows: string) =>
      `Column "${column}" is not used (${content} in ${plural(rows, 'row')}).`,
    keepTotals: 'Keep these rows: they are data',
    leftOut: (rows: string, lines: readonly string[], unit: RowUnit) =>
      `Rows that seem to be totals or headings are left out: ${rows} (${lines.length > 1 ? `${unit}s` : unit} ${lines.join(', ')})`,
  },
  check: 'Check rows',
  checkAgain: 'Check again',
  checkFailed: 'Check failed',
  rows: {
    title: 'Rows',
    caption: 'Rows of the file with their errors',
    line: 'Line',
    errors: 'Errors',
    fine: 'OK',
    surplus: 'Extra cells',
    notChecked: 'Changed, not checked yet',
    record: 'Record',
    open: (users: string) => `Edit JSON (${users} users)`,
    at: (place: string, line: string) => `${place} (line ${line})`,
    moreErrors: (count: string) => `and ${count} more`,
    only: 'With errors',
    all: 'All rows',
    view: 'Row filter',
    allFine: (rows: string) => `${plural(rows, 'row')}, no errors.`,
    problems: (faulty: string, rows: string) => `${faulty} of ${plural(rows, 'row')} with errors.`,
    correct: 'Fix the rows here and check again, or skip them: you can download them after the import.',
    changed: 'Rows have changed. Check again before the import.',
    none: 'No rows with errors',
    noneHint: 'Import the rows, or show all rows.',
    cell: (field: string, line: string, unit: RowUnit) => `${field}, ${unit} ${line}`,
    created: (principals: string, users: string) =>
      `New: ${plural(principals, 'principal')}, ${plural(users, 'user')}.`,
    estimate: (duration: string) => `Hashing the passwords takes about ${duration}.`,
  },
  run: (rows: string, count: number) => (count === 1 ? 'Import 1 row' : `Import ${rows} rows`),
  sendFailed: 'Import failed',
  sending: 'Uploading rows. Keep this page open until the upload is complete.',
  progress: {
    title: 'Import running',
    safe: 'You can leave this page: the import continues in the background.',
    jobs: 'Show jobs',
  },
  outcome: {
    title: 'Import completed',
    applied: (rows: string) => `Applied: ${rows}.`,
    skipped: (rows: string) => `Skipped, because stored already: ${rows}.`,
    failed: (rows: string) =>
      `Failed: ${rows}. Fix the failed rows here, or download them with their errors.`,
    correct: 'Fix failed rows',
    download: 'Download failed rows',
  },
  fileError: ({ message }: FileError): string => message,
  rowError: ({ code, message }: RowError): string => (code === 'RESET_IN_IMPORT' ? resetInImport : message),
};

export const invitations = {
  action: { invited: 'Invite again', active: 'Invite to set a new password' },
  title: (username: string) => `Invite ${username}`,
  text: {
    invited: 'The user has not set a password yet. Earlier codes stop working.',
    active: 'The user sets a new password with a code. The present password stays valid until then.',
  },
  channel: {
    label: 'How the user gets the code',
    access: 'How the user gets its password',
    password: 'Set a password now',
    email: 'Send a link by email',
    code: 'Hand out a code',
    hints: {
      password: undefined,
      email: 'The user sets its own password.',
      code: 'The user sets its own password with a code that you pass on, also on paper.',
    },
    noAddress: 'There is no email address.',
  },
  submit: 'Invite',
  mailed: (username: string, email: string) => `${username} gets an email to ${email}.`,
  code: {
    once: 'The code is shown only once, and can be used once. Pass it on to the user through a secure channel.',
    label: 'Code',
    link: 'Link with the code',
    expires: (moment: string) => `Valid until ${moment}.`,
    sheet: 'Download sheet to print',
  },
  many: {
    action: 'Invite to set a password',
    title: 'Invite the selected users?',
    text: 'Each user gets a code to set its password. Present passwords stay valid until then; earlier codes stop working.',
    submit: 'Invite',
    once: 'The codes are available only here and only now: they are stored nowhere. Download them before you close this dialog, and delete the file when the codes are handed out.',
  },
  all: {
    action: 'Invite those who have not answered',
    title: 'Invite those who have not answered',
    count: (count: number, formatted: string) =>
      count === 0
        ? 'All users have set a password.'
        : `${count === 1 ? '1 user has' : `${formatted} users have`} not set a password yet. Earlier codes stop working.`,
    without: (count: number, formatted: string) =>
      count === 1
        ? '1 of them has no email address, and is left out.'
        : `${formatted} of them have no email address, and are left out.`,
    submit: 'Invite',
    started: 'The users are being invited.',
  },
  job: {
    action: 'Invitation codes',
    title: 'Invitation codes',
    text: 'Issues a new code to each user that the job has invited with a code, and that has not set a password since. Codes from an earlier download stop working.',
    submit: 'Issue codes',
    issued: (count: number, formatted: string) =>
      count === 1 ? '1 code issued.' : `${formatted} codes issued.`,
    skipped: (count: number, formatted: string) =>
      count === 1
        ? '1 user gets none: it has set a password, or is disabled or deleted.'
        : `${formatted} users get none: they have set a password, or are disabled or deleted.`,
  },
  files: {
    csv: 'Download codes (CSV)',
    sheets: 'Download sheets to print (HTML)',
    name: 'codes',
    columns: [
      'PrincipalID',
      'ExternalKey',
      'Denomination',
      'Username',
      'FirstName',
      'LastName',
      'Email',
      'Code',
      'URL',
      'ExpiresAt',
    ],
  },
};

export const jobs = {
  title: 'Jobs',
  intro: 'Background jobs of all clients, newest first.',
  caption: 'Jobs',
  failedOnly: 'With failed records only',
  columns: {
    job: 'Job',
    client: 'Client',
    state: 'State',
    progress: 'Progress',
    failed: 'Failed',
    submitted: 'Submitted',
    ended: 'Ended',
  },
  states: { queued: 'Queued', running: 'Running', completed: 'Completed', cancelled: 'Cancelled' },
  empty: {
    title: 'No jobs yet',
    hint: 'Imports, and calls with the header Prefer: respond-async, run as jobs.',
  },
  emptyFailed: {
    title: 'No jobs with failed records',
    hint: 'Turn off the filter to see all jobs.',
  },
  one: (id: string) => `Job ${id}`,
  all: 'All jobs',
  progress: 'Progress',
  figures: 'Summary',
  facts: {
    id: 'Job ID',
    state: 'State',
    operation: 'Operation',
    client: 'Client',
    records: 'Records',
    applied: 'Applied',
    failed: 'Failed',
    cancelledOrFailed: 'Cancelled or failed',
    users: 'Users',
    usersDone: 'Users processed',
    rate: 'Users per second',
    submitted: 'Submitted',
    started: 'Started',
    ended: 'Ended',
    left: 'Estimated end',
  },
  cancel: 'Cancel job',
  keepRunning: 'Keep running',
  cancelTitle: (id: string) => `Cancel job ${id}?`,
  cancelText:
    'Applied records stay applied, and records in progress may still be applied. The other records are cancelled; you can download and resend them. A cancelled job cannot be resumed.',
  cancelled: 'Job cancelled.',
};

export const mails = {
  title: 'Mails',
  intro: 'Invitations and forgotten passwords, newest first.',
  noMail: 'This service sends no mail: the setting ANAGRAFE_SMTP_URL is missing.',
  show: 'Show mails',
  all: 'Show all',
  allStates: 'All states',
  ofJob: (id: string) => `Mails of call or job ${id}`,
  ofRun: (id: string) => `Mails of import ${id}`,
  columns: {
    user: 'User',
    state: 'State',
    answer: 'Answer of the mail server',
    kind: 'Reason',
    job: (id: string) => `Call or job ${id}`,
    created: 'Created',
  },
  kinds: { invitation: 'Invitation', forgotten: 'Forgotten password' },
  states: { pending: 'Pending', sent: 'Sent', failed: 'Failed', stopped: 'Stopped' },
  attempts: (count: number, formatted: string, next: string) =>
    `${count === 1 ? '1 attempt' : `${formatted} attempts`}, next ${next}`,
  deleted: 'Deleted user',
  stopped:
    'Too many mails of a job have failed, so the others were not sent (ANAGRAFE_MAIL_MAX_FAILED). Check the answers of the mail server, correct the addresses, then continue.',
  empty: {
    title: 'No mails yet',
    hint: 'Mails to users that are invited or forget their password appear here.',
  },
  noResults: { title: 'No results', hint: 'No mail matches the filter.' },
  resend: {
    action: 'Resend',
    to: (username: string) => `Resend to ${username}`,
    stopped: 'Send stopped mails',
    failed: 'Resend failed mails',
    unanswered: 'Resend unanswered invitations',
    title: 'Send new mails?',
    text: 'Each user that was invited by email, and has not set a password since, gets a new mail. Earlier links stop working.',
    textOf: (state: string) =>
      `Each user whose last mail has the state ${state}, and that has not set a password since, gets a new mail. Earlier links stop working.`,
    submit: 'Send mails',
    done: (count: number, formatted: string) =>
      count === 1 ? '1 mail is being sent.' : `${formatted} mails are being sent.`,
  },
  perMinute: {
    label: 'Mails per minute',
    hint: 'Leave empty to send as many as the mail server accepts.',
  },
};

export const overview = {
  title: 'Overview',
  intro: 'Totals, current jobs and recent errors',
  figures: {
    label: 'Totals',
    users: 'Users',
    principals: 'Principals',
    sessions: 'Active sessions',
    jobs: 'Current jobs',
    today: (count: string) => `${count} today`,
    queued: (count: string) => `${count} queued`,
  },
  steps: {
    title: 'Next steps',
    client: {
      title: 'Create an API client',
      text: 'Each program that calls the API has its own keys.',
      action: 'API clients',
    },
    register: {
      title: 'Create the first principal with a user',
      text: 'Run this command in a terminal, or make the same call from your program.',
      label: 'Command',
      action: 'Or import users from a file',
    },
    read: { title: 'Read the API reference', text: 'All calls, with examples.', action: 'API reference' },
    others: {
      title: 'Allow access from other machines',
      text: (host: string) =>
        `The service listens on ${host}: only programs on this machine can call it. Put a reverse proxy with TLS in front of it and set ANAGRAFE_TRUST_PROXY, or in a trusted network set ANAGRAFE_HOST=0.0.0.0. Then restart the service.`,
    },
  },
  activity: {
    title: 'Activity',
    span: 'Period',
    hours: 'Last 24 hours',
    days: 'Last 30 days',
    accounts: 'Users and principals',
    calls: 'Calls and jobs',
    registered: 'Users registered',
    reset: 'Passwords reset',
    inserted: 'Principals created',
    answered: 'Calls',
    jobs: 'Jobs',
    failed: 'Failed records',
    time: 'Time',
    none: 'No activity in this period',
  },
  hashing: {
    title: 'Password hashing',
    rate: (rate: string, capacity: string) => `${rate} of ${capacity} hashes per second`,
    bar: 'Hashing load of this node',
    running: 'Running',
    interactive: 'Queued (interactive)',
    bulk: 'Queued (bulk)',
    node: 'This node only',
  },
  jobs: {
    title: 'Current jobs',
    none: 'No current jobs',
    noneHint: 'Imports and background jobs appear here while they run.',
    more: (count: string) => `and ${count} more`,
  },
  failures: {
    title: 'Recent errors',
    caption: 'Latest failed records',
    at: 'Time',
    operation: 'Operation',
    principal: 'Principal',
    reason: 'Error',
    none: 'No errors',
    noneHint: 'Failed records appear here with their errors.',
    more: (count: string) => `and ${plural(count, 'more field error')}`,
  },
};

export const principals = {
  title: 'Principals',
  intro: 'Companies and customers with their users',
  all: 'All principals',
  create: 'New principal',
  createIntro: 'Fill in at least one field.',
  submitCreate: 'Create principal',
  created: 'Principal created. It has no users yet.',
  search: 'Search principals',
  searchHint: 'Name, external key, VAT number, tax code, username',
  count: (count: number, formatted: string) => (count === 1 ? '1 principal' : `${formatted} principals`),
  columns: {
    name: 'Name',
    id: 'ID',
    externalKey: 'External key',
    vatnumber: 'VAT number',
    users: 'Users',
    updated: 'Updated',
  },
  fields: principalLabels,
  userFields: userLabels,
  states: {
    principal: { active: 'Active', disabled: 'Disabled' },
    user: { active: 'Active', disabled: 'Disabled', invited: 'Invited' },
  },
  empty: {
    title: 'No principals yet',
    hint: 'Create the first one, import a file, or send them through the API.',
    action: 'Import a file',
  },
  notFound: (term: string) => ({
    title: `No results for "${term}"`,
    hint: 'The search matches the beginning of words and of usernames. Try fewer letters.',
  }),
  missing: {
    title: 'Principal not found',
    text: 'No principal has the ID in the URL.',
  },
  details: {
    title: 'Details',
    state: 'State',
    id: 'ID',
    users: 'Users',
    created: 'Created',
    updated: 'Updated',
  },
  users: {
    title: 'Users',
    search: 'Search users',
    searchHint: 'Username, email, name or phone number',
    empty: { title: 'No users yet', hint: 'Registered users can sign in at once.' },
    notFound: { title: 'No results', hint: 'No user of this principal matches the search.' },
  },
  edit: {
    action: 'Edit',
    title: (name: string) => `Edit ${name}`,
    submit: 'Save',
    done: 'Principal saved.',
  },
  merge: {
    action: 'Merge into another principal',
    title: (name: string) => `Merge ${name} into another principal`,
    text: 'The users move with their IDs and passwords, and their sessions end. This principal is deleted; its external key then names the other one. This cannot be undone.',
    users: (count: number, formatted: string, target: string) =>
      count === 0
        ? 'No users move.'
        : sentence(`${count === 1 ? '1 user moves' : `${formatted} users move`} to ${target}`),
    taken: 'Values that the other principal lacks, and gets:',
    dropped: 'Values that are dropped, because the other principal has its own:',
    submit: 'Merge',
    done: (target: string) => sentence(`Merged into ${target}`),
  },
  remove: {
    action: 'Delete',
    title: (name: string) => `Delete ${name}?`,
    text: (count: number, formatted: string) =>
      count === 0
        ? 'The principal is deleted. This cannot be undone.'
        : `The principal and its ${count === 1 ? 'user' : `${formatted} users`} are deleted, and their sessions end. This cannot be undone.`,
    submit: 'Delete principal',
    done: (name: string) => `${name} deleted.`,
  },
  more: 'More actions',
  export: {
    action: 'Export',
    xlsx: 'Export as Excel (XLSX)',
    csv: 'Export as CSV',
    spreadsheet: 'Export for spreadsheets (CSV)',
    ndjson: 'Export as NDJSON',
    started: 'Export started. The file is saved when it is complete.',
    saved: (name: string) => `${name} saved.`,
    failed: 'Export failed',
  },
  register: {
    action: 'Register user',
    title: 'New user',
    optional: (label: string) => `${label} (optional)`,
    submit: 'Register user',
    done: (username: string) => `User ${username} registered`,
  },
  reset: {
    title: (username: string) => `New password for ${username}`,
    text: 'The old password stops working and all sessions of the user end.',
    submit: 'Reset password',
    done: (username: string) => `Password of ${username} reset`,
  },
  password: {
    label: 'Password',
    generate: 'Generate',
    show: 'Show password',
    hide: 'Hide password',
    meter: 'Password strength',
    strength: { weak: 'Weak', fair: 'Fair', good: 'Good', strong: 'Strong' },
    accepted: 'This password meets the requirements.',
  },
  newPassword: {
    once: 'The password is shown only once. Send it to the user through a secure channel.',
    username: 'Username',
    password: 'Password',
    done: 'Done',
  },
  setState: {
    disabled: {
      action: 'Disable',
      title: (name: string) => `Disable ${name}?`,
      principal:
        'Its users can no longer sign in, their sessions end, and no user can be registered until you enable it again.',
      user: 'The user can no longer sign in, and all sessions of the user end.',
      done: (name: string) => `${name} disabled.`,
    },
    active: {
      action: 'Enable',
      title: (name: string) => `Enable ${name}?`,
      principal:
        'Its users can sign in again, except users that are disabled themselves. Ended sessions are not restored.',
      user: 'The user can sign in again with the same password, unless the principal is disabled. Ended sessions are not restored.',
      done: (name: string) => `${name} enabled.`,
    },
  },
  history: {
    title: 'History',
    at: 'Time',
    what: 'Action',
    who: 'Actor',
    address: 'IP address',
    withReads: 'Include reads',
    empty: { title: 'No entries yet', hint: 'Changes to this principal and its users appear here.' },
  },
};

/** Formatted numbers of what a synchronisation does. */
export type SyncCounts = Readonly<Record<keyof SyncTotals, string>>;

export const sync = {
  title: 'Synchronise',
  intro: 'Make companies and their users equal to a file. You see every change before it is made.',
  command: 'npx --no -- anagrafe sync users.csv',
  named:
    'Each row names its principal by the external key or the ID. Passwords of existing users are kept; new users need a password, or are invited.',
  options: {
    title: 'Options',
    missing: 'Users that the file does not have',
    missingHint: 'Only users of the principals in the file.',
    actions: { keep: 'Keep', disable: 'Disable', delete: 'Delete' },
    missingPrincipals: 'Principals that the file does not have',
    missingPrincipalsHint: 'For a file with all companies. Users of a disabled principal cannot sign in.',
    principalActions: { report: 'Report', keep: 'Keep, do not report', disable: 'Disable' },
    clearEmpty: 'Empty cells clear the field',
    clearEmptyHint: 'Otherwise the stored value stays.',
    partial: 'Leave out only the users with errors',
    partialHint: 'Otherwise their whole principal is left out, with all of its users.',
  },
  compare: 'Compare',
  compareAgain: 'Compare again',
  compared: (principals: string) => `${principals} principals compared`,
  compareFailed: 'Comparison failed',
  missingUnknown: 'There are too many principals that the file does not have. Nothing was changed.',
  unsettled:
    'The changes could not be planned, because the answers of the service kept changing. Nothing was changed. Compare again.',
  unusable: (rows: string, unit: RowUnit) =>
    `The file cannot be used, because ${plural(rows, unit)} cannot be interpreted with certainty. Leaving out a row would make its users count as missing. Nothing was changed. Correct the file, then choose it again.`,
  errors: 'Errors',
  line: 'Line',
  error: 'Error',
  changes: 'Changes',
  caption: 'Changes that the synchronisation would make',
  summary: (counts: SyncCounts) =>
    [
      `Principals: ${counts.PrincipalsInserted} new, ${counts.PrincipalsUpdated} changed, ${counts.PrincipalsDisabled} disabled, ${counts.PrincipalsUnchanged} unchanged, ${counts.PrincipalsLeftOut} left out.`,
      `Users: ${counts.UsersRegistered} new, ${counts.UsersUpdated} changed, ${counts.UsersMoved} moved, ${counts.UsersDisabled} disabled, ${counts.UsersDeleted} deleted, ${counts.UsersUnchanged} unchanged, ${counts.UsersLeftOut} left out.`,
    ].join(' '),
  leftOut: (principals: string) => `${plural(principals, 'principal')} with errors left out with all users.`,
  stayActive: (principals: string) =>
    `Active principals that the file does not have, and that stay active: ${principals}.`,
  stayDisabled: (users: string, names: string) =>
    `Users of the file that are disabled and stay disabled: ${users} (${names}). To enable them, add a column State.`,
  stayDisabledUnknown: 'Users that are disabled stay disabled, unless the file has a column State.',
  hint: 'Exactly these changes are made. If the stored data changes before, they are refused.',
  none: { title: 'No changes', hint: 'The stored data is equal to the file.' },
  apply: 'Apply changes',
  confirm: {
    title: 'Disable or delete?',
    text: (count: string) =>
      `Users and principals that will be disabled or deleted: ${count}. Deleted users cannot be restored.`,
    titleWithMoves: 'Disable, delete or move?',
    textWithMoves: (count: string) =>
      `Users and principals that will be disabled, deleted or moved: ${count}. Deleted users cannot be restored. Moved users are signed out.`,
  },
  applying: 'Applying changes',
  applyFailed: 'Synchronisation stopped',
  outcome: 'Synchronisation completed',
  applied: (count: string) => `${plural(count, 'change')} applied.`,
  appliedPartly: 'Applied, except for the records below.',
  notApplied: 'These rows were not applied. Correct them in the file, then synchronise again.',
  leftOutRow: 'The principal was left out because another of its rows has an error.',
  undo: 'Show and undo',
};

/** Formatted numbers of what an undo does. */
export interface UndoCounts {
  readonly principalsDeleted: string;
  readonly usersDeleted: string;
  readonly restored: string;
  readonly moved: string;
  readonly kept: string;
  readonly failed: string;
}

export const runs = {
  title: 'Import history',
  intro: 'Imports and synchronisations of all clients, newest first. Each can be undone as a whole.',
  all: 'All imports',
  one: (id: string) => `Import ${id}`,
  columns: {
    run: 'Import',
    call: 'Call',
    started: 'Started',
    ended: 'Ended',
    client: 'Client',
    calls: 'Calls',
    records: 'Records',
    users: 'Users',
    failed: 'Failed',
  },
  states: {
    running: 'In progress',
    undone: (by: string | null) => (by === null ? 'Undone' : `Undone by ${by}`),
  },
  empty: {
    title: 'No imports yet',
    hint: 'Imports and synchronisations appear here, from this console, the command line and programs.',
  },
  calls: 'Calls and jobs',
  facts: {
    title: 'Summary',
    started: 'Started',
    ended: 'Ended',
    client: 'Client',
    records: 'Records',
    users: 'Users',
    failed: 'Failed records',
    undoable: 'Can be undone until',
    undone: 'Undone',
    undoneBy: 'Undone by',
    id: 'Run ID',
  },
  undo: {
    title: 'Undo',
    text: 'Deletes what the import has created, and restores what it has changed. What was changed or used since stays as it is. You see everything before anything is changed.',
    impossible: 'The import is still in progress, or too old to be undone.',
    before: (moment: string, by: string | null) =>
      `The import was undone before: ${moment}${by === null ? '' : `, by ${by}`}.`,
    show: 'Show what an undo would do',
    caption: 'Changes that the undo would make',
    summary: (counts: UndoCounts) =>
      [
        `Deleted: ${plural(counts.principalsDeleted, 'principal')}, ${plural(counts.usersDeleted, 'user')}.`,
        `Restored: ${counts.restored}. Moved back: ${plural(counts.moved, 'user')}. Kept: ${counts.kept}.`,
        counts.failed === '0' ? '' : `Impossible: ${counts.failed}.`,
      ].join(' '),
    apply: 'Undo import',
    nothing: { title: 'Nothing to undo', hint: 'Everything is already as it was before the import.' },
    failed: 'Undo failed',
    done: 'Import undone',
    donePartly: (failed: string) => `Import undone, except for ${plural(failed, 'record')}`,
    records: 'Show all records',
    reasons: {
      changed: 'kept, because it was changed or used since',
      deleted: 'no longer exists',
      moved: 'the user stays in this principal',
      password: 'the password was reset, and the old one is unknown',
      expired: 'the old value is no longer stored',
      taken: 'kept, because the old name belongs to another one now',
      last: 'kept, because the principal would have no field without it',
      differs: 'kept, because both principals have a value',
    },
  },
};

export const users = {
  title: 'Users',
  intro: 'Users of all principals',
  search: 'Search users',
  searchHint: 'Username, email, name or phone number',
  all: 'All users',
  allStates: 'All states',
  neverSignedIn: 'Never signed in',
  sort: {
    label: 'Sort by',
    ID: 'Oldest first',
    '-ID': 'Newest first',
    Username: 'Username A–Z',
    '-Username': 'Username Z–A',
    UpdatedAt: 'Changed longest ago',
    '-UpdatedAt': 'Changed last',
  },
  picker: {
    search: 'Search a principal',
    searchHint: 'Name, external key, VAT number or ID',
    found: 'Principals found',
  },
  select: {
    column: 'Selection',
    one: (username: string) => `Select ${username}`,
    page: 'Select this page',
    count: (count: number, formatted: string) =>
      count === 1 ? '1 user selected.' : `${formatted} users selected.`,
    most: (formatted: string) => `No more than ${formatted} can be selected.`,
    actions: 'Actions on the selection',
    clear: 'Clear the selection',
    others: (_others: number, formatted: string) => `and ${formatted} more`,
    progress: (done: string, all: string) => `${done} of ${all} users`,
    states: {
      disabled: {
        title: 'Disable the selected users?',
        text: 'The users can no longer sign in, and all their sessions end.',
      },
      active: {
        title: 'Enable the selected users?',
        text: 'The users can sign in again with the same password, unless their principal is disabled. Ended sessions are not restored.',
      },
    },
    reset: {
      action: 'Reset to generated passwords',
      title: 'Reset the passwords of the selected users?',
      text: 'Each user gets a generated password. The old passwords stop working, and all sessions of the users end. The new passwords are then saved as a CSV file.',
      submit: 'Reset passwords',
      once: 'The passwords are available only here and only now: they are stored nowhere. Download them before you close this dialog.',
      download: 'Download passwords (CSV)',
    },
    move: {
      action: 'Move to another principal',
      title: 'Move the selected users?',
      text: 'The users keep their IDs, passwords and other values. All their sessions end.',
      submit: 'Move',
    },
    done: (done: string, all: string) => `${done} of ${all} users changed.`,
    failed: (_count: number, formatted: string) => `Failed: ${formatted}.`,
    failedCaption: 'Users that were not changed',
    error: 'Error',
    stopped: 'Stopped before the end',
    file: {
      name: 'passwords',
      columns: ['PrincipalID', 'ExternalKey', 'Username', 'Email', 'Password', 'Result'],
      done: 'set',
      unknown: 'not confirmed',
    },
  },
  count: (count: number, formatted: string) => (count === 1 ? '1 user' : `${formatted} users`),
  atLeast: (formatted: string) => `${formatted} users or more`,
  columns: {
    username: 'Username',
    principal: 'Principal',
    state: 'State',
    lastLogin: 'Last sign-in',
    passwordChanged: 'Password changed',
    actions: 'Actions',
  },
  id: (id: number) => `ID ${id}`,
  actionsOf: (username: string) => `Actions for ${username}`,
  empty: {
    title: 'No users yet',
    hint: 'Register users on the page of a principal, import a file, or send them through the API.',
  },
  notFound: {
    title: 'No results',
    hint: 'Search matches the start of usernames, emails, first and last names, and the last digits of phone numbers, at least four.',
  },
  missing: { title: 'User not found', text: 'No user has the ID in the URL.' },
  details: {
    title: 'Details',
    id: 'ID',
    principalDisabled: 'The principal is disabled: no sign-in.',
    mustChange: 'Must change the password at the next sign-in.',
    created: 'Created',
    updated: 'Last change',
  },
  mails: {
    empty: { title: 'No mails', hint: 'Invitations and mails for forgotten passwords appear here.' },
  },
  signIns: {
    title: 'Sign-ins',
    empty: { title: 'No sign-ins', hint: 'Sign-ins, failed sign-ins and sign-outs appear here.' },
  },
  history: {
    title: 'History',
    empty: { title: 'No changes', hint: 'Changes to this user appear here.' },
  },
  edit: {
    action: 'Edit',
    title: (username: string) => `Edit ${username}`,
    languageHint: 'Such as it or en-GB',
    mustChange: 'Must change the password at the next sign-in',
    submit: 'Save',
    done: (username: string) => `User ${username} saved.`,
  },
  attributes: {
    label: 'Attributes',
    name: (number: number) => `Name of attribute ${number}`,
    namePlaceholder: 'Name',
    value: (number: number) => `Value of attribute ${number}`,
    valuePlaceholder: 'Value',
    remove: (number: number) => `Remove attribute ${number}`,
    add: 'Add attribute',
    repeated: 'Another attribute has this name.',
  },
  remove: {
    action: 'Delete',
    title: (username: string) => `Delete ${username}?`,
    text: 'The user is deleted and all its sessions end. The audit log keeps its ID, but neither its username nor its email. This cannot be undone.',
    submit: 'Delete user',
    done: (username: string) => `User ${username} deleted.`,
  },
  sessions: {
    caption: 'Sessions',
    columns: { created: 'Signed in', used: 'Last refresh', ends: 'Ends', actions: 'Actions' },
    end: 'End',
    endOf: (number: number) => `End session ${number}`,
    endAll: 'End all sessions',
    endAllText: 'The user must sign in again. To prevent that, disable the user.',
    ended: 'Session ended.',
    allEnded: 'All sessions ended.',
    none: 'No sessions',
    noneHint: 'The user is not signed in.',
  },
};

export const webhooks = {
  title: 'Webhooks',
  intro: 'Endpoints that receive signed events',
  caption: 'Webhooks',
  create: 'New webhook',
  columns: {
    url: 'Endpoint URL',
    state: 'State',
    types: 'Events',
    granularity: 'One delivery per',
    created: 'Created',
    actions: 'Actions',
  },
  enabled: 'Active',
  disabled: 'Disabled',
  allTypes: 'All events',
  granularity: { user: 'event', record: 'record', job: 'call or job' },
  empty: {
    title: 'No webhooks yet',
    hint: 'A webhook sends new users, password resets and completed jobs to your program.',
    action: 'Create webhook',
  },
  actionsOf: (url: string) => `Actions for ${url}`,
  deliveries: 'Show deliveries',
  edit: 'Edit',
  test: 'Send test event',
  rotate: 'Rotate secret',
  enable: 'Enable',
  disable: 'Disable',
  remove: 'Delete',
  form: {
    createTitle: 'New webhook',
    editTitle: 'Webhook settings',
    url: 'Endpoint URL',
    urlHint: 'https, or http in the networks of ANAGRAFE_WEBHOOK_NETWORKS',
    types: 'Events',
    typesHint: 'Leave empty for all events.',
    granularity: 'One delivery per',
    granularityHint: {
      user: 'Event – 100,000 users cause 100,000 deliveries',
      record: 'Record – all users of a record in one delivery',
      job: 'Call or job – only completed calls and jobs, and disabled webhooks',
    },
    submitCreate: 'Create webhook',
    submitEdit: 'Save',
  },
  created: 'Webhook created',
  secretOnce: 'The secret is shown only once. The receiver needs it to verify signatures.',
  secret: 'Secret',
  stored: 'Done',
  saved: 'Webhook saved.',
  wasEnabled: 'Webhook enabled. Events stored in the meantime are sent now.',
  wasDisabled: 'Webhook disabled. Events are stored until you enable it again.',
  notChanged: 'Webhook not changed',
  rotateTitle: 'New webhook secret',
  rotateText: 'Deliveries are signed with both secrets for a while, so that you can update the receiver.',
  hours: 'Keep the old secret valid for (hours)',
  hoursHint: '0 ends it immediately.',
  rotateSubmit: 'Rotate secret',
  oldEnds: (moment: string) => `Old secret valid until ${moment}`,
  removeTitle: 'Delete webhook?',
  removeText: (url: string) =>
    `${url} receives no more events, and pending deliveries are dropped. This cannot be undone.`,
  removed: 'Webhook deleted.',
  testTitle: 'Test event',
  testText: (url: string) => `Sends an event of type webhook.test to ${url} and shows the answer.`,
  testSubmit: 'Send',
  delivered: 'Delivered',
  waiting: 'Pending',
  answered: (status: number) => `HTTP ${status}`,
  took: (milliseconds: string) => `after ${milliseconds} ms`,
  one: (id: number) => `Webhook ${id}`,
  all: 'All webhooks',
  figures: 'Endpoint',
  list: {
    title: 'Deliveries',
    caption: 'Deliveries with their answers',
    at: 'Created',
    type: 'Event',
    state: 'State',
    attempts: 'Attempts',
    answer: 'Answer',
    actions: 'Actions',
    failedOnly: 'Failed only',
    states: { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' },
    next: (when: string) => `next attempt ${when}`,
    again: 'Resend',
    againOf: (id: string) => `Resend ${id}`,
    allAgain: 'Retry all failed',
    sent: (count: string) => `Deliveries resent: ${count}`,
    noneGivenUp: 'No failed deliveries. Pending ones are retried automatically.',
    notSent: 'Resending failed',
    whenEnabled: 'The webhook is disabled. Deliveries are sent once you enable it.',
    none: 'No deliveries yet',
    noneHint: 'A delivery appears here for each event of this webhook.',
    noneFailed: 'No failed deliveries',
    noneFailedHint: 'Deliveries are retried for days before they fail.',
  },
  next: { attempt: 'Next attempt', now: 'now', onceEnabled: 'once the webhook is enabled' },
  delivery: {
    title: (id: string) => `Delivery ${id}`,
    type: 'Event',
    body: 'Request body',
    created: 'Created',
    attempted: 'Last attempt',
    forgotten: 'The event has expired and is no longer stored.',
    shortened: 'Truncated. Copy to get the whole text.',
    noAnswer: 'Empty answer.',
    beginning: 'Only the first 1,000 characters are stored.',
  },
};

export const people = {
  role: { viewer: 'Viewer', desk: 'Help desk', editor: 'Editor', admin: 'Administrator' },
  confirmation: {
    title: 'Confirm your identity',
    text: 'This action needs your password or a code again. It continues right after.',
    password: 'Password',
    code: 'Code',
    codeHint: 'The six digits of your authenticator app, or a recovery code.',
    useCode: 'Use a code instead',
    usePassword: 'Use the password instead',
    submit: 'Confirm',
  },
  setPassword: {
    title: 'Set your password',
    intro: 'Choose a password of at least eight characters. A few random words are easy to remember.',
    code: 'Code',
    codeHint: 'From your invitation. Upper and lower case and dashes do not matter.',
    password: 'New password',
    repeat: 'Repeat the password',
    submit: 'Set password and sign in',
    back: 'Back to sign-in',
  },
  forgotten: {
    title: 'Forgot your password?',
    intro: 'Enter your email address. You get a mail with a link to a new password.',
    submit: 'Send mail',
    sent: 'If an operator has this address, a mail is on its way. The link works for one hour.',
  },
  secondFactor: {
    title: 'Set up the second factor',
    required: 'Your role needs a second factor: a code of your phone beside the password.',
    scan: 'Open an authenticator app on your phone, scan this code, and enter the six digits that the app shows.',
    qr: 'QR code for the authenticator app',
    secret: 'Or type this key into the app',
    code: 'Code',
    codeHint: 'The six digits that the app shows.',
    submit: 'Set up',
    recovery:
      'These recovery codes are shown only once. Each replaces one code when you do not have your phone. Store them in a safe place.',
    recoveryCodes: 'Recovery codes',
    save: 'Save as file',
    file: 'anagrafe-recovery-codes.txt',
    stored: 'I have stored the codes',
  },
};

export const operators = {
  title: 'Operators',
  intro: 'People who sign in to the console. The role decides what each of them may do.',
  invite: 'Invite operator',
  invited: (name: string) => `${name} is invited`,
  empty: { title: 'No operators', hint: 'Invite the people who work with the console.' },
  columns: {
    name: 'Name',
    role: 'Role',
    secondFactor: 'Second factor',
    created: 'Created',
    actions: 'Actions',
  },
  state: { active: 'active', invited: 'invited', disabled: 'disabled' },
  you: 'you',
  hasSecondFactor: 'Set up',
  noSecondFactor: 'None',
  actionsOf: (name: string) => `Actions for ${name}`,
  may: {
    viewer: 'Reads principals, users, calls and the audit log.',
    desk: 'Also resets passwords, invites and disables users, and ends their sessions.',
    editor: 'Also registers, edits, imports, deletes, exports and undoes.',
    admin: 'Also manages operators, API clients and webhooks.',
  },
  form: {
    email: 'Email',
    name: 'Name',
    role: 'Role',
    mail: 'Send the link by mail, too',
    submitInvite: 'Invite',
    submitEdit: 'Save',
  },
  code: {
    once: (moment: string) =>
      `Give the operator this link, or the code. They are shown only once and work until ${moment}.`,
    mailed: (email: string) => `A mail to ${email} is on its way.`,
    link: 'Link',
    code: 'Code',
    done: 'Done',
  },
  edit: 'Edit',
  editTitle: (name: string) => `Edit ${name}`,
  saved: (name: string) => `Operator ${name} saved.`,
  reset: 'Reset password and second factor',
  resetTitle: (name: string) => `Reset ${name}`,
  resetText:
    'Removes the password and the second factor and ends all sessions. The operator sets new ones with a code.',
  disable: 'Disable',
  disableTitle: (name: string) => `Disable ${name}?`,
  disableText: 'Ends all sessions. The operator can no longer sign in until you enable it again.',
  enable: 'Enable',
  enableTitle: (name: string) => `Enable ${name}?`,
  enableText: 'The operator can sign in again with its password and second factor.',
  sessions: {
    menu: 'Sessions',
    title: (name: string) => `Sessions of ${name}`,
    list: 'Open sessions',
    address: 'IP address',
    unknown: 'unknown',
    current: 'this one',
    signedIn: 'Signed in',
    used: 'Last used',
    actions: 'Actions',
    end: 'End',
    endOf: (number: number) => `End session ${number}`,
    endAll: 'End all',
    ended: 'Session ended.',
    allEnded: 'Sessions ended.',
    none: 'No sessions',
    noneHint: 'The operator is not signed in.',
  },
  account: {
    title: 'My account',
    limited: 'Limited to principals with one of these tags:',
    sessions: 'My sessions',
    endOthers: 'End all others',
    password: 'Password',
    passwordText: 'A new password ends your other sessions.',
    changePassword: 'Change password',
    passwordChanged: 'Password changed.',
    secondFactor: 'Second factor',
    secondFactorSet:
      'The sign-in asks for a code of your authenticator app. A new one ends the old one and its recovery codes.',
    secondFactorMissing: 'Without a second factor, your password alone opens the console.',
    replace: 'Replace second factor',
  },
};

export const setup = {
  title: 'Set-up',
  intro: 'Five steps to a service that people and programs can use. Skip any of them and come back later.',
  open: 'Open',
  openStep: (title: string) => `Open: ${title}`,
  done: 'done',
  skipped: 'skipped',
  skip: 'Skip this step',
  complete: 'The set-up is complete. You find this page again with the search, under Set-up.',
  settings:
    'Add these lines to anagrafe.env in the data folder, or set the variables where the service is started. Then restart the service.',
  steps: {
    operator: {
      title: 'First operator',
      text: 'Operators are people who sign in to the console with email, password and a second factor. The first one is an administrator: you.',
    },
    client: {
      title: 'First API client',
      text: 'Programs call the service with the keys of an API client. With the first one protected mode ends: calls without keys are no longer accepted.',
    },
    hosts: {
      title: 'Address of the service',
      text: 'The service accepts connections from this machine only, until you give it an address. Replace the host name with your own, and let a proxy add the certificate.',
    },
    mail: {
      title: 'Mail server (optional)',
      text: 'With a mail server, invitations and forgotten passwords are sent by mail. Without one you hand out codes.',
    },
    import: {
      title: 'First import',
      text: 'Load principals and users from a CSV or Excel file. The console checks every row before anything is stored.',
    },
  },
  operator: {
    name: 'Your name',
    email: 'Your email',
    create: 'Create and set password',
    more: 'Go to operators',
  },
  client: {
    withoutOperator:
      'There is no operator yet: you will sign in to the console with the keys of this client.',
    create: 'Create first client',
    more: 'Go to API clients',
  },
  hosts: { lines: 'Settings for the address' },
  mail: { lines: 'Settings for mail' },
  import: { open: 'Open import' },
};

export const health = {
  title: 'Health and settings',
  intro:
    'How the service is doing, and the settings it runs with. To change a setting, edit it and restart the service.',
  setup: 'Open the first set-up again',
  state: 'Health',
  service: 'Service',
  version: (version: string, node: string) => `Anagrafe ${version}, Node.js ${node}, started`,
  database: 'Database',
  databaseOf: {
    embedded: (version: string) => `Embedded PostgreSQL ${version}`,
    external: (version: string) => `PostgreSQL ${version}`,
  },
  disk: 'Disk',
  free: (free: string, total: string) => `${free} of ${total} free`,
  unknown: 'cannot be read',
  queue: 'Queue',
  jobs: (queued: string, running: string, rows: string) =>
    `Jobs: ${queued} queued, ${running} running. Rows not in the hash chain yet: ${rows}`,
  hashing: 'Password hashing',
  hashes: (now: string, capacity: string, waiting: string) =>
    `${now} per second now, up to ${capacity}. Waiting: ${waiting}`,
  certificate: 'Certificate',
  validUntil: 'valid until',
  mail: 'Mail',
  mailReady: (pending: string) => `Mail server ready. Waiting mails: ${pending}`,
  backup: 'Last backup',
  noBackup: 'None yet',
  notConfigured: 'Not configured',
  check: 'check',
  settings: 'Settings',
  columns: { name: 'Name', value: 'Value', source: 'Source' },
  source: { default: 'Default', environment: 'Environment', file: 'Settings file' },
  onlyChanged: 'Only those that are set',
  noneChanged: 'No setting is set',
  noneChangedHint: 'The service runs with the defaults.',
};
