import type { Delivery } from '@anagrafe/client';
import type { FileError, PrincipalField, RowError, UserField } from '@anagrafe/importer';

const principalLabels: Readonly<Record<PrincipalField, string>> = {
  ExternalKey: 'External key',
  Denomination: 'Company name',
  Surname: 'Surname',
  Name: 'First name',
  Vatnumber: 'VAT number',
  Taxcode: 'Tax code',
  Email: 'Email',
};

const userLabels: Readonly<Record<UserField, string>> = {
  Email: 'Email',
  Phone: 'Phone',
};

export const common = {
  product: 'Anagrafe',
  skip: 'Skip to the content',
  navigation: 'Pages',
  pages: {
    overview: 'Overview',
    principals: 'Principals',
    import: 'Import',
    calls: 'Calls',
    jobs: 'Jobs',
    events: 'Events',
    webhooks: 'Webhooks',
    clients: 'API clients',
    audit: 'Audit',
  },
  openMenu: 'Open the menu',
  closeMenu: 'Close the menu',
  opening: 'Opening the console …',
  loading: 'Loading …',
  language: 'Language',
  scheme: { label: 'Appearance', light: 'Light', dark: 'Dark', auto: 'Like the system' },
  reference: 'API reference',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  signIn: {
    title: 'Sign in',
    intro: 'With the keys of an API client that has the scope admin.',
    ended:
      'Your session has ended. Sign in with the same client within 15 minutes, and everything is as you left it.',
    notSignedOut: 'You could not be signed out: whoever opens the console here may still act in your name.',
    publicKey: 'Public key',
    publicKeyHint: 'Or paste both keys at once: public.secret',
    secretKey: 'Secret key',
    submit: 'Sign in',
    missing: 'Both keys are needed.',
    help: 'No keys at hand? On the machine of the service, with its settings:',
    commandName: 'the command',
    command: 'npx --no -- anagrafe client create --name console --scope admin',
  },
  protected: {
    title: 'Protected mode',
    text: 'No API client exists yet. Until there is one, the service answers only to programs and browsers on this machine, without asking who they are. With the first client this ends: from then on every call needs a key, and calls from other machines are served.',
    action: 'Create the first client',
    dialog: 'The first client',
    intro: 'It may do everything, also here in the console: you will be signed in with it at once.',
    name: 'Name',
    usual: 'console',
    create: 'Create it and sign in',
    notSignedIn: 'The client was created, but signing in with it failed. Sign in with these keys.',
  },
  secret: {
    once: 'The secret is shown only now. Copy it to where you keep passwords.',
    publicKey: 'Public key',
    secretKey: 'Secret key',
    both: 'Both in one, for Authorization: Bearer',
    stored: 'I have stored it',
  },
  copy: (what: string) => `Copy: ${what}`,
  copied: 'Copied',
  clearSearch: 'Clear the search',
  finder: {
    open: 'Search',
    title: 'Go to',
    label: 'Page or principal',
    placeholder: 'A page, a name, an external key, a VAT number, a username',
    found: 'Found',
    page: 'Page',
    nothing: 'Nothing goes by this. Principals are found by the beginning of each word.',
    choose: 'choose',
    go: 'go there',
    close: 'close',
  },
  cancel: 'Cancel',
  close: 'Close',
  confirm: { type: (name: string) => `Type ${name} to go on` },
  table: {
    retry: 'Try again',
    failed: 'This could not be loaded',
    page: (page: string, pages: string) => `Page ${page} of ${pages}`,
    range: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    pages: (of: string) => `Pages of: ${of}`,
    beyond: {
      title: 'Nothing on this page',
      hint: 'The list ends before it.',
      action: 'Go to the last page',
    },
    newest: 'Show the newest',
    behind: 'Much has happened since, and is not shown yet.',
    older: 'Show older',
    noOlder: 'There is nothing older.',
  },
  failure: {
    unreachable:
      'The service cannot be reached. Check that it is running and that you are connected, then try again.',
    strange:
      'Something other than the service answered: a proxy, perhaps. Try again, or ask whoever runs it.',
    again: 'Your session had ended, so that nothing was done. You are signed in again: try once more.',
    unknown:
      'Something went wrong in this page. Reload it; if it happens again, tell whoever runs the service.',
    request: (id: string) => `Request ${id}: by this it is found in the log of the service.`,
  },
  lost: {
    title: 'There is no such page',
    text: 'The address leads nowhere in the console.',
    action: 'Go to the overview',
  },
  never: 'never',
};

export const actor = {
  client: (name: string) => name,
  console: (name: string) => `${name}, at the console`,
  user: (id: number | null) => (id === null ? 'whoever tried it' : `user ${id}`),
  protected: 'someone in protected mode',
  operator: 'the operator, at the command line',
  service: 'the service itself',
  unknownClient: (id: number | null) => `client ${id ?? '?'}`,
};

export interface Advice {
  readonly what: string;
  readonly todo: string;
}

const causes = {
  moved: {
    what: 'The receiver is somewhere else',
    todo: 'It answered with a redirect, which is not followed. Edit the webhook: enter the address that it leads to.',
  },
  unauthorized: {
    what: 'The receiver does not let the message in',
    todo: 'Check that it knows the secret of this webhook and that its clock is right. A new secret helps where it is lost. If it asks for a login in front of the address, exempt the address.',
  },
  notFound: {
    what: 'Nothing takes messages at this address',
    todo: 'Compare the address with that of the receiver, letter by letter. It has to take POST.',
  },
  gone: {
    what: 'The receiver is gone for good',
    todo: 'It wants no more messages here. Edit the address, or delete the webhook.',
  },
  tooMany: {
    what: 'These are too many messages for the receiver',
    todo: 'It is tried again later by itself. Fewer messages come by choosing one for each record, or for each call and job.',
  },
  rejected: {
    what: 'The receiver refused the message',
    todo: 'What came back may say why. Mend the receiver, then send it again.',
  },
  broken: {
    what: 'The receiver had a failure of its own',
    todo: 'Look into the log of the receiver at the time of the last attempt. Once it is mended, send it again.',
  },
  slow: {
    what: 'The receiver did not answer in time',
    todo: 'It has 15 seconds. It should answer at once and work afterwards. If it never answers, a firewall may be in the way.',
  },
  internal: {
    what: 'The address is inside a network that nothing is sent to',
    todo: 'If it is the right one, name its network in the setting ANAGRAFE_WEBHOOK_NETWORKS and restart the service.',
  },
  plainHttp: {
    what: 'Nothing is sent there without encryption',
    todo: 'Edit the address to begin with https, or name its network in the setting ANAGRAFE_WEBHOOK_NETWORKS and restart the service.',
  },
  closed: {
    what: 'Nobody listens at this address',
    todo: 'Check that the receiver is running, and that host and port of the address are right.',
  },
  cut: {
    what: 'The connection was cut',
    todo: 'The receiver, or a proxy before it, hung up without an answer. Look into its log at the time of the last attempt.',
  },
  unknownName: {
    what: 'The name in the address is not known',
    todo: 'Check how it is written, and that it can be looked up on the machine of the service.',
  },
  unreachable: {
    what: 'There is no way to this address',
    todo: 'Check the network and the firewall of the machine of the service.',
  },
  insecure: {
    what: 'No secure connection came about',
    todo: 'Check the certificate of the receiver: not expired, made out for the name in the address, sent with its whole chain. NODE_EXTRA_CA_CERTS names an authority of your own to the service.',
  },
  strange: {
    what: 'What answered does not speak HTTP',
    todo: 'Check the port of the address, and whether it should be http or https.',
  },
  forgotten: {
    what: 'This can no longer be sent',
    todo: 'What it tells of is no longer kept. The receiver can be brought up to date out of the lists of principals and users.',
  },
  other: {
    what: 'The receiver did not take it',
    todo: 'Try the webhook with a test message, and look into the log of the receiver.',
  },
} satisfies Record<string, Advice>;

export const failureCause = {
  causes,
  byHand: 'By hand',
  clientRevoked: 'Its client was revoked',
  clientLostAdmin: 'Its client lost the scope admin',
  answered: (status: string) => `The receiver answered ${status}`,
  unknown: (why: string) => (why === '' ? causes.other.what : `${causes.other.what}: ${why}`),
};

/** Causes of a failed delivery; `other` if there is no specific advice. */
export type Cause = keyof typeof causes;

export const eventType: Readonly<Record<Delivery['Type'], string>> = {
  'principal.inserted': 'Principal inserted',
  'principal.state_changed': 'State of a principal changed',
  'user.registered': 'User registered',
  'user.password_reset': 'Password reset',
  'user.state_changed': 'State of a user changed',
  'call.completed': 'Call completed',
  'job.completed': 'Job completed',
  'webhook.disabled': 'Webhook disabled',
  'webhook.test': 'Test message',
};

/** Joins a formatted number with its noun, in the plural unless it is 1: "1 record", "12 records". */
const some = (told: string, what: string) => `${told} ${what}${told === '1' ? '' : 's'}`;

export const auditRow = {
  inserted: 'The principal was created.',
  registered: (users: string) => `Registered: ${users}.`,
  reset: (users: string) => `Password reset: ${users}.`,
  principalState: { disabled: 'The principal was disabled.', active: 'The principal was enabled.' },
  userState: {
    disabled: (users: string) => `Disabled: ${users}.`,
    active: (users: string) => `Enabled: ${users}.`,
  },
  sameState: 'A state was set that it had already.',
  user: (id: number) => `user ${id}`,
  andMore: (users: string, _others: number, told: string) => `${users} and ${told} more`,
  deeds: {
    'call.completed': ({ count }) =>
      `A call was answered: ${some(count('records'), 'record')}, ${count('recordsFailed')} not applied.`,
    'job.submitted': ({ count }) =>
      `A job was sent: ${some(count('records'), 'record')}, ${some(count('users'), 'user')}.`,
    'job.completed': ({ count }) =>
      `A job ended: ${some(count('records'), 'record')}, ${count('recordsFailed')} not applied.`,
    'job.cancelled': () => 'A job was cancelled.',
    'records.read': ({ count, details, principal }) => {
      if (details.call === 'failed') return 'A retry kit was read.';
      if (details.call === 'users') return `Users were read: ${count('count')}.`;
      return principal === null ? `Principals were read: ${count('count')}.` : 'Its data were read.';
    },
    login: ({ user }) => `Signed in: ${user}.`,
    'login.failed': ({ user }) =>
      user === null ? 'A sign-in with an unknown username failed.' : `A sign-in failed: ${user}.`,
    'login.refreshed': ({ user }) => `Stayed signed in: ${user}.`,
    'login.reused': ({ user }) =>
      `A refresh token was used twice, and what came of that sign-in was ended: ${user}.`,
    logout: ({ user }) => `Signed out: ${user}.`,
    'console.login': () => 'Signed in at the console.',
    'console.logout': () => 'Signed out of the console.',
    'client.created': ({ details }) => `The API client ${details.name} was created.`,
    'client.changed': ({ client }) => `The API client ${client} was changed.`,
    'client.rotated': ({ client }) => `The API client ${client} got a new secret.`,
    'client.revoked': ({ client }) => `The API client ${client} was revoked.`,
    'client.denied': ({ client, count, details }) =>
      details.why === 'address'
        ? `The API client ${client} was refused: its secret came from an address that it may not use (attempt ${count('attempts')} within an hour).`
        : `The API client ${client} was refused: wrong secret (attempt ${count('attempts')} within an hour).`,
    'webhook.created': ({ details, url }) => `Webhook ${details.webhook}${url} was created.`,
    'webhook.changed': ({ details, url }) => `Webhook ${details.webhook}${url} was changed.`,
    'webhook.rotated': ({ details }) => `Webhook ${details.webhook} got a new secret.`,
    'webhook.deleted': ({ details, url }) => `Webhook ${details.webhook}${url} was deleted.`,
    'webhook.disabled': ({ details, url, why }) => `Webhook ${details.webhook}${url} was disabled. ${why}.`,
    'webhook.replayed': ({ details, count }) =>
      `Messages of webhook ${details.webhook} were sent again: ${count('count')}.`,
  } satisfies Record<string, (told: AuditRowValues) => string>,
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
  operation: { update: 'Users', insert: 'Principals', state: 'States' },
  progress: {
    users: (done: string, all: string) => `${done} of ${all} users`,
    records: (done: string, all: string) => `${done} of ${all} records`,
    failed: (count: string) => `${count} not applied`,
    waiting: 'waiting for its turn',
    rate: (rate: string) => `${rate} users per second`,
    ends: 'Ends',
  },
  tuples: {
    title: 'Records',
    caption: 'What became of the records',
    position: 'No.',
    principal: 'Principal',
    outcome: 'Outcome',
    reason: 'Reason',
    applied: 'Applied',
    notApplied: 'Not applied',
    none: 'No record has its outcome yet.',
    noneHint: 'They show up here as soon as they are done.',
    noneFailed: 'No record has failed.',
    noneFailedHint: 'Show all of them to see those that were applied.',
    moreFaults: (count: string) => `and ${count} more places; all of them are in the retry kit`,
  },
  failedOnly: 'Failed only',
  kit: {
    action: 'Retry kit',
    hint: 'The failed records with their faults and without their passwords, to be corrected and sent again.',
    saved: 'The retry kit was saved: correct it, fill in the passwords, and send it again.',
  },
  user: (number: string) => `User ${number}`,
  fields: {
    Record: 'The record',
    ID: 'ID',
    ...principalLabels,
    Users: 'Users',
    Username: 'Username',
    ...userLabels,
    Password: 'Password',
    ConfirmPassword: 'Confirmation of the password',
    CurrentPassword: 'Current password',
    PasswordHash: 'Password hash',
    State: 'State',
  } as Record<string, string>,
};

export const audit = {
  title: 'Audit',
  intro: 'Everything that was done, when and by whom, the newest first.',
  caption: 'The journal',
  columns: { position: 'Position', at: 'When', author: 'By', about: 'About', what: 'What was done' },
  principal: (id: number) => `Principal ${id}`,
  empty: { title: 'Nothing was done yet', hint: 'Whatever is done shows up here within a second.' },
  emptyOf: {
    title: 'Nothing is known of this principal',
    hint: 'Nothing was done to a principal with this ID, or the journal no longer has it.',
  },
  find: {
    position: 'Go to the position',
    principal: 'Only the principal with the ID',
    go: 'Go',
    reads: 'Also what was only read',
    all: 'Show everything',
    newest: 'Back to the newest',
    of: (id: string) => `What was done to principal ${id}.`,
    from: (position: string) => `From position ${position} back; what is new is not added here.`,
  },
  details: 'Details',
  detail: {
    action: 'Action',
    entry: 'Entry',
    address: 'Address',
    request: 'Request',
    call: 'Call',
    registered: 'Users registered',
    reset: 'Passwords reset',
    noted: 'What was noted',
    seal: 'Seal',
  },
  others: (count: string) => `and ${count} more`,
  chain: {
    title: 'Is the journal untouched?',
    text: 'The check proves whether anyone with access to the database has changed, removed or added a row. Then copy the end of the journal, which it shows, to a place outside the database: only with it can a later check tell that the newest rows were cut off.',
    verify: 'Check the journal',
    sound: 'The journal is as it was written',
    soundText: (rows: string) => `All ${rows} rows are there, and none was changed.`,
    broken: 'The journal is not as it was written',
    brokenText: (rows: string, position: string, fault: string) =>
      `${rows} rows are as they were written. At position ${position} a row was ${fault}.`,
    faults: { changed: 'changed', removed: 'removed', inserted: 'inserted', 'cut off': 'cut off' },
    end: 'The end of the journal',
    endHint:
      'Keep it outside the database. On the machine of the service, anagrafe audit verify --expect compares a later journal with it.',
  },
};

export const calls = {
  title: 'Calls',
  intro: 'Calls that were answered at once, the newest first. Dry runs are not among them.',
  caption: 'Calls',
  failedOnly: 'With failed records only',
  columns: {
    at: 'When',
    call: 'Call',
    author: 'By',
    records: 'Records',
    failed: 'Not applied',
    users: 'Users applied',
    took: 'Took',
  },
  milliseconds: (count: string) => `${count} ms`,
  empty: {
    title: 'No call yet',
    hint: 'Calls that register users, reset passwords, insert principals or change states show up here.',
  },
  emptyFailed: {
    title: 'No call with failed records',
    hint: 'Show all of them to see those of which every record was applied.',
  },
  one: (id: string) => `Call ${id}`,
  all: 'All calls',
  figures: 'Figures',
  facts: {
    at: 'When',
    operation: 'What was written',
    author: 'By',
    address: 'From the address',
    request: 'Request',
    records: 'Records',
    failed: 'Not applied',
    users: 'Users',
    usersApplied: 'Users applied',
    took: 'Took',
    id: 'ID',
  },
};

export const clients = {
  title: 'API clients',
  intro: 'Programs that may call the service, each with its own keys.',
  caption: 'API clients',
  create: 'New client',
  columns: {
    name: 'Name',
    publicKey: 'Public key',
    scopes: 'Scopes',
    networks: 'May call from',
    created: 'Created',
    actions: 'Actions',
  },
  anywhere: 'anywhere',
  knownByAddress: 'known by address',
  revoked: 'Revoked',
  you: 'you',
  empty: {
    title: 'No client yet',
    hint: 'While there is none, the service is open to this machine alone. Create the first one to let programs elsewhere call it.',
    action: 'Create a client',
  },
  actionsOf: (name: string) => `Actions for ${name}`,
  edit: 'Edit',
  rotate: 'New secret',
  revoke: 'Revoke',
  form: {
    createTitle: 'New client',
    editTitle: (name: string) => `Edit ${name}`,
    name: 'Name',
    nameHint: 'Which program this is: erp, crm, import …',
    scopes: 'Scopes',
    scope: {
      'sync:write': 'Write: register users, reset passwords, insert and change principals',
      'sync:read': 'Read: principals, users and events',
      admin: 'Administer: everything, this console included',
    },
    scopesMissing: 'Choose at least one.',
    networks: 'Networks',
    networksHint:
      'Addresses or networks that it may call from, one per line, such as 10.0.0.0/8. Empty: from anywhere.',
    knownByAddress: 'Known by its address',
    knownByAddressHint: 'Calls from its networks need no key. For old programs that cannot send one.',
    submitCreate: 'Create',
    submitEdit: 'Save',
    ownScope: 'You are signed in with this client. Without the scope admin your session ends.',
  },
  created: (name: string) => `${name} was created`,
  saved: (name: string) => `${name} was changed. It holds from its next call on.`,
  rotateTitle: (name: string) => `A new secret for ${name}`,
  rotateText: 'Both secrets are good for a while, so that the program can be changed over without a pause.',
  hours: 'Hours that the old secret goes on',
  hoursHint: '0 ends it at once.',
  rotateSubmit: 'Make a new secret',
  rotateOwn: 'You are signed in with this client; you will be signed in anew with the new secret.',
  oldEnds: (moment: string) => `The old secret ends: ${moment}`,
  revokeTitle: (name: string) => `Revoke ${name}`,
  revokeText:
    'It is shut out at once and for good: its keys never work again. What it has done stays in the audit.',
  revokeOwn: 'You are signed in with this client: revoking it ends your session.',
  revokedNotice: (name: string) => `${name} was revoked.`,
};

export const events = {
  title: 'Events',
  intro: 'What happened, the newest first: the same that webhooks are told of.',
  caption: 'Events',
  type: 'Type',
  allTypes: 'All types',
  columns: { id: 'ID', at: 'When', type: 'What happened', about: 'About' },
  empty: { title: 'Nothing has happened yet', hint: 'New users, reset passwords and calls show up here.' },
  emptyType: { title: 'None of this type', hint: 'Choose another type, or wait: new ones show up here.' },
  emptySoFar: { title: 'None of this type so far', hint: 'Show older ones, or choose another type.' },
  reached: (moment: string) => `Searched back to ${moment}.`,
  reachedAll: 'Searched back to the oldest event that is kept.',
  about: {
    principal: (id: number) => `principal ${id}`,
    user: (id: number, name: string | null) => (name === null ? `user ${id}` : `user ${id}, ${name}`),
    state: { active: 'enabled', disabled: 'disabled' },
    records: (records: string, failed: string) =>
      `${records} ${records === '1' ? 'record' : 'records'}, ${failed} not applied`,
    webhook: (id: number, url: string) => `webhook ${id}, ${url}`,
  },
};

const resetInImport =
  'This would reset a password, and an import only registers users. Reset it on the page of its principal, or many of them with "anagrafe reset".';

export const imports = {
  title: 'Import',
  intro: 'Registers the users of a file. Nothing is done before you have seen what would be.',
  choose: {
    title: 'The file',
    drop: 'Drop a CSV, JSON or NDJSON file here',
    button: 'Choose a file',
    hint: (rows: string) =>
      `With a header line such as Username, Email, Password, ExternalKey. Up to ${rows} rows here; larger files are for the command line:`,
    command: 'npx --no -- anagrafe import users.csv',
    commandName: 'the command',
    reading: 'Reading the file …',
    failed: 'This file cannot be read',
    tooMany: (rows: string) =>
      `It has more than ${rows} rows. Import it with "anagrafe import", which takes files of any size.`,
    noRows: 'There is no row in it.',
    unreadable: 'The browser could not open it. Is it still there, and may you read it?',
  },
  another: 'Another file',
  drop: {
    title: 'Let go of this file?',
    text: 'What was mended here, and the rows that were not imported, with their passwords, are lost. Download the rows that failed first if you need them.',
    action: 'Choose another file',
  },
  rowsOf: (name: string, rows: string) => `${name} (rows: ${rows})`,
  columns: {
    title: 'Columns',
    caption: 'The columns of the file',
    name: 'Column',
    samples: 'First values',
    field: 'Is',
    fieldOf: (column: string) => `What ${column} is`,
    unnamed: (place: string) => `Column ${place}`,
    notRead: 'not read',
    hidden: 'hidden',
    records: 'The file holds whole records with their users: there are no columns to be told.',
  },
  principal: {
    label: 'Principal of the rows that name none',
    by: 'Known by',
    id: 'ID',
    externalKey: 'External key',
    value: 'Its ID or key',
    hint: 'Leave it empty if every row names its own.',
    wrong: 'An ID is a whole number from 1 on.',
  },
  principalField: (label: string) => `Principal: ${label}`,
  fields: {
    UserID: 'User ID (for resets)',
    Username: 'Username',
    Password: 'Password',
    ConfirmPassword: 'Password, again',
    PasswordHash: 'Password hash',
  },
  check: 'Check the rows',
  checkAgain: 'Check again',
  checkFailed: 'The rows could not be checked',
  rows: {
    title: 'Rows',
    caption: 'The rows of the file and what is wrong with them',
    line: 'Line',
    faults: 'What is wrong',
    fine: 'Fine',
    surplus: 'Cells too many',
    notChecked: 'changed since it was checked',
    record: 'Record',
    open: (users: string) => `Show the JSON with its ${users} users`,
    at: (place: string, line: string) => `${place} (line ${line})`,
    moreFaults: (count: string) => `and ${count} more`,
    only: 'Only problems',
    all: 'All rows',
    view: 'Which rows',
    allFine: (rows: string) => `Rows: ${rows}. All of them are fine.`,
    problems: (faulty: string, rows: string) => `Rows with problems: ${faulty} of ${rows}.`,
    correct: 'Mend them here and check again, or leave them out: they can be downloaded afterwards.',
    changed: 'Rows were changed. Check them again before they are imported.',
    none: 'No row has a problem.',
    noneHint: 'Import them, or look at all rows.',
    cell: (field: string, line: string) => `${field}, line ${line}`,
    estimate: (seconds: string) => `Hashing the passwords takes about ${seconds} seconds.`,
  },
  run: (rows: string, count: number) => (count === 1 ? 'Import 1 row' : `Import ${rows} rows`),
  sendFailed: 'The rows could not be sent',
  sending: 'The rows are being sent. Please keep the console open until the service has them.',
  progress: {
    title: 'The import is under way',
    safe: 'You may leave this page and come back to it: the service goes on by itself.',
    jobs: 'Follow it under Jobs',
  },
  outcome: {
    title: 'The import has ended',
    applied: (rows: string) => `Rows imported: ${rows}.`,
    failed: (rows: string) =>
      `Rows not imported: ${rows}. Mend them here, or download them with the reasons, correct them and import that file.`,
    correct: 'Mend the rows that failed',
    download: 'Download the rows that failed',
  },
  fault: ({ message }: FileError): string => message,
  rowFault: ({ code, message }: RowError): string => (code === 'RESET_IN_IMPORT' ? resetInImport : message),
};

export const jobs = {
  title: 'Jobs',
  intro: 'Calls that were sent to be done later, of all clients, the newest first.',
  caption: 'Jobs',
  failedOnly: 'With failed records only',
  columns: {
    job: 'Job',
    client: 'By',
    state: 'State',
    progress: 'Progress',
    failed: 'Not applied',
    submitted: 'Sent',
    ended: 'Ended',
  },
  states: { queued: 'Waiting', running: 'Under way', completed: 'Completed', cancelled: 'Cancelled' },
  empty: {
    title: 'No job yet',
    hint: 'A call that is sent with the header Prefer: respond-async becomes a job. So does every part of an import.',
  },
  emptyFailed: {
    title: 'No job with failed records',
    hint: 'Show all of them to see those of which every record was applied.',
  },
  one: (id: string) => `Job ${id}`,
  all: 'All jobs',
  progress: 'Progress',
  figures: 'Figures',
  facts: {
    id: 'ID',
    state: 'State',
    operation: 'What is written',
    client: 'By',
    records: 'Records',
    done: 'Records done',
    failed: 'Not applied',
    users: 'Users',
    usersDone: 'Users done',
    rate: 'Users per second',
    submitted: 'Sent',
    started: 'Begun',
    ended: 'Ended',
    left: 'Expected end',
  },
  cancel: 'Cancel the job',
  cancelTitle: (id: string) => `Cancel job ${id}`,
  cancelText:
    'Records that have not begun will not be applied. What is written stays, and what is being hashed may still be written. It cannot be resumed; the retry kit has what was left out.',
  cancelled: 'The job was cancelled.',
};

export const overview = {
  title: 'Overview',
  intro: 'How much there is, what is being done, and what went wrong lately.',
  figures: {
    label: 'Figures',
    users: 'Users',
    principals: 'Principals',
    sessions: 'Sessions of users',
    jobs: 'Jobs under way',
    today: (count: string) => `${count} today`,
    queued: (count: string) => `${count} waiting`,
  },
  steps: {
    title: 'Next steps',
    client: {
      title: 'Create an API client',
      text: 'Each program that calls the service has keys of its own.',
      action: 'API clients',
    },
    register: {
      title: 'Insert the first principal with a user',
      text: 'Run this in a terminal, or send the same from your program.',
      label: 'the command',
      action: 'Or import a file of users',
    },
    read: { title: 'Read the reference', text: 'Every call, with examples to try.', action: 'API reference' },
  },
  activity: {
    title: 'Activity',
    span: 'Time span',
    hours: 'Last 24 hours',
    days: 'Last 30 days',
    accounts: 'Users and principals',
    calls: 'Calls and failures',
    registered: 'Users registered',
    reset: 'Passwords reset',
    inserted: 'Principals inserted',
    answered: 'Calls',
    jobs: 'Jobs',
    failed: 'Records not applied',
    time: 'Time',
    none: 'Nothing was done in this time.',
  },
  hashing: {
    title: 'Password hashing',
    rate: (rate: string, capacity: string) => `${rate} of ${capacity} hashes per second`,
    bar: 'Hashes per second, of what this node could make',
    running: 'Being hashed',
    interactive: 'Waiting: calls that someone waits for',
    bulk: 'Waiting: jobs and large calls',
    node: 'Of the node that answered.',
  },
  jobs: {
    title: 'Jobs under way',
    none: 'No job is under way.',
    noneHint: 'Large imports and calls that are sent to be done later show up here, with their progress.',
    more: (count: string) => `and ${count} more`,
  },
  failures: {
    title: 'Last failures',
    caption: 'The records that were not applied last',
    at: 'When',
    operation: 'Call',
    principal: 'Principal',
    reason: 'Reason',
    none: 'Nothing has failed.',
    noneHint: 'Records that are refused, with their reasons, show up here.',
    more: (count: string) => `and ${count} more faults`,
  },
};

export const principals = {
  title: 'Principals',
  intro: 'The customers and companies that have users.',
  all: 'All principals',
  create: 'New principal',
  createIntro: 'Fill in what you know: one field is enough.',
  submitCreate: 'Create',
  created: 'The principal was created. It has no users yet.',
  search: 'Search for principals',
  searchHint: 'Name, external key, VAT number, username',
  count: (count: number, told: string) => (count === 1 ? '1 principal' : `${told} principals`),
  columns: {
    name: 'Name',
    id: 'ID',
    externalKey: 'External key',
    vatnumber: 'VAT number',
    users: 'Users',
    updated: 'Changed',
  },
  fields: principalLabels,
  userFields: userLabels,
  states: {
    principal: { active: 'Active', disabled: 'Disabled' },
    user: { active: 'Active', disabled: 'Disabled' },
  },
  empty: {
    title: 'No principal yet',
    hint: 'Create the first one here, import a file of them with their users, or have a program insert many at once.',
    action: 'Import a file',
  },
  notFound: (term: string) => ({
    title: `Nothing found for "${term}"`,
    hint: 'Every word must begin a word of the principal, or all of it a username. Try less of it.',
  }),
  missing: {
    title: 'There is no such principal',
    text: 'No principal has the ID that stands in the address.',
  },
  details: {
    title: 'Details',
    state: 'State',
    id: 'ID',
    users: 'Users',
    created: 'Created',
    updated: 'Changed',
  },
  users: {
    title: 'Users',
    search: 'Search for users',
    searchHint: 'Beginning of the username',
    columns: {
      username: 'Username',
      state: 'State',
      lastLogin: 'Last sign-in',
      passwordChanged: 'Password set',
      actions: 'Actions',
    },
    id: (id: number) => `ID ${id}`,
    actionsOf: (username: string) => `Actions for ${username}`,
    empty: { title: 'No user yet', hint: 'Register the first one, who can sign in at once.' },
    notFound: { title: 'No such user', hint: 'No username of this principal begins with that.' },
  },
  register: {
    title: 'Register a user',
    username: 'Username',
    optional: (label: string) => `${label} (optional)`,
    submit: 'Register',
    done: (username: string) => `${username} was registered`,
  },
  reset: {
    title: (username: string) => `A new password for ${username}`,
    text: 'The old password stops working, and all sessions of this user end at once.',
    submit: 'Reset the password',
    done: (username: string) => `The password of ${username} was reset`,
  },
  password: {
    label: 'Password',
    generate: 'Generate',
    show: 'Show the password',
    hide: 'Hide the password',
    meter: 'Strength of the password',
    strength: { weak: 'Weak', fair: 'Fair', good: 'Good', strong: 'Strong' },
    taken: 'The rules of the service allow this password.',
  },
  newPassword: {
    once: 'The password is shown only now. Hand it over to the user in a safe way.',
    username: 'Username',
    password: 'Password',
    done: 'I have handed it over',
  },
  turn: {
    disabled: {
      action: 'Disable',
      title: (name: string) => `Disable ${name}`,
      principal:
        'None of its users can sign in any more, and all their sessions end at once. No user can be registered until it is enabled again; that does not bring the sessions back.',
      user: 'The user cannot sign in any more, and all sessions of this user end at once. Enabling it again does not bring them back.',
      done: (name: string) => `${name} was disabled.`,
    },
    active: {
      action: 'Enable',
      title: (name: string) => `Enable ${name}`,
      principal:
        'Its users can sign in again, but for those that are disabled themselves. The sessions that were ended do not come back.',
      user: 'The user can sign in again with the same password, unless the principal is disabled. The sessions that were ended do not come back.',
      done: (name: string) => `${name} was enabled.`,
    },
  },
  history: {
    title: 'History',
    at: 'When',
    what: 'What',
    who: 'By',
    address: 'From',
    withReads: 'Also who has read it',
    empty: { title: 'Nothing yet', hint: 'What is done to this principal and its users appears here.' },
  },
};

export const webhooks = {
  title: 'Webhooks',
  intro: 'Programs that are told what happens, by a signed message to their address.',
  caption: 'Webhooks',
  create: 'New webhook',
  columns: {
    url: 'Address',
    state: 'State',
    types: 'Told of',
    granularity: 'One message for',
    created: 'Created',
    actions: 'Actions',
  },
  enabled: 'Enabled',
  disabled: 'Disabled',
  allTypes: 'everything',
  granularity: { user: 'each event', record: 'each record', job: 'each call and job' },
  empty: {
    title: 'No webhook yet',
    hint: 'Create one, and a program of yours is told of new users, reset passwords and jobs that have ended, without asking.',
    action: 'Create the first webhook',
  },
  actionsOf: (url: string) => `Actions for ${url}`,
  deliveries: 'Deliveries',
  edit: 'Edit',
  test: 'Send a test message',
  rotate: 'New secret',
  enable: 'Enable',
  disable: 'Disable',
  remove: 'Delete',
  form: {
    createTitle: 'New webhook',
    editTitle: 'Edit the webhook',
    url: 'Address',
    urlHint: 'Where messages are sent: https, or http in networks that ANAGRAFE_WEBHOOK_NETWORKS allows.',
    types: 'Told of',
    typesHint: 'None chosen: of everything.',
    granularity: 'One message for',
    granularityHint: {
      user: 'Each event: 100,000 users are 100,000 messages.',
      record: 'Each record: all of its users in one message.',
      job: 'Each call and job that has ended, and webhooks that were disabled; nothing else.',
    },
    submitCreate: 'Create',
    submitEdit: 'Save',
  },
  created: 'The webhook was created',
  secretOnce: 'The secret is shown only now. The receiver needs it to tell that a message is from here.',
  secret: 'Secret',
  stored: 'I have stored it',
  saved: 'The webhook was changed.',
  wasEnabled: 'The webhook is enabled. It is told everything that has happened meanwhile.',
  wasDisabled: 'The webhook is disabled. What happens is kept for it until it is enabled again.',
  notChanged: 'The webhook was not changed',
  rotateTitle: 'A new secret for the webhook',
  rotateText: 'Messages are signed with both secrets for a while, so that the receiver can be changed over.',
  hours: 'Hours that the old secret signs too',
  hoursHint: '0 ends it at once.',
  rotateSubmit: 'Make a new secret',
  oldEnds: (moment: string) => `The old secret ends: ${moment}`,
  removeTitle: 'Delete the webhook',
  removeText: (url: string) =>
    `${url} is told nothing any more, and what waits to be sent is dropped. This cannot be undone.`,
  removed: 'The webhook was deleted.',
  testTitle: 'A test message',
  testText: (url: string) =>
    `Sends one message of the type webhook.test to ${url}, at once, and waits for the answer.`,
  testSubmit: 'Send it',
  taken: 'The receiver took it',
  waiting: 'It waits to be sent',
  answered: (status: number) => `It answered ${status}`,
  took: (milliseconds: string) => `after ${milliseconds} ms`,
  one: (id: number) => `Webhook ${id}`,
  all: 'All webhooks',
  figures: 'The endpoint',
  list: {
    title: 'Deliveries',
    caption: 'What was sent, and what came back',
    at: 'When',
    type: 'What was sent',
    state: 'State',
    attempts: 'Attempts',
    answer: 'What came back',
    actions: 'Actions',
    failedOnly: 'Given up only',
    states: { pending: 'Waiting', delivered: 'Delivered', failed: 'Given up' },
    next: (when: string) => `next attempt ${when}`,
    again: 'Send again',
    againOf: (id: string) => `Send again ${id}`,
    allAgain: 'Send all again that failed',
    sent: (count: string) => `Sent again: ${count}`,
    noneGivenUp: 'Nothing was given up: what waits is tried again by itself.',
    notSent: 'This was not sent again',
    whenEnabled: 'The webhook is disabled: it is sent once the webhook is enabled.',
    none: 'Nothing was sent yet.',
    noneHint: 'Messages show up here as soon as something happens that this webhook is told of.',
    noneFailed: 'Nothing was given up.',
    noneFailedHint: 'A message that the receiver does not take is tried again for days before that.',
  },
  next: { attempt: 'Next attempt', now: 'now', onceEnabled: 'once the webhook is enabled' },
  delivery: {
    title: (id: string) => `Delivery ${id}`,
    type: 'It tells of',
    created: 'Made out',
    attempted: 'Last attempt',
    forgotten: 'What it tells of is no longer kept.',
    shortened: 'Only the beginning is shown. Copying takes all of it.',
    noAnswer: 'The answer had no text.',
    beginning: 'Only the first 1,000 characters are kept.',
  },
};
