import type { Told } from './told.ts';

const users = (count: number, n: (value: number) => string) => (count === 1 ? '1 user' : `${n(count)} users`);

export const english = {
  title: 'Audit',
  intro: 'Everything that was done and by whom, the newest first, sealed into a chain.',
  caption: 'The journal',
  columns: { position: 'Position', at: 'When', author: 'By', what: 'What was done' },
  empty: { title: 'Nothing was done yet', hint: 'Whatever is done shows up here within a second.' },
  emptyOf: {
    title: 'Nothing is known of this principal',
    hint: 'Nothing was done to a principal with this ID, or the journal no longer has it.',
  },
  find: {
    position: 'Go to the position',
    principal: 'Only the principal with the ID',
    go: 'Go',
    all: 'Show everything',
    of: (id: string) => `What was done to principal ${id}, the oldest first.`,
  },
  more: 'Read on',
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
    title: 'The chain',
    text: 'Every row is sealed together with the one before it, so that a change to any of them shows. Reading all of them takes a while where there are millions.',
    verify: 'Verify the chain',
    sound: 'The journal is as it was written',
    soundText: (rows: string) => `All ${rows} rows hold.`,
    broken: 'The journal is not as it was written',
    brokenText: (rows: string, position: string, fault: string) =>
      `${rows} rows hold, up to position ${position}: there, a row was ${fault}.`,
    faults: { changed: 'changed', removed: 'removed', inserted: 'inserted', 'cut off': 'cut off' },
    end: 'The end of the chain',
    endHint:
      'Note it where whoever can write to the database cannot: with it, anagrafe audit verify --expect also tells that rows were cut off.',
  },
  told: {
    insert: ({ principal, registered, n }) =>
      registered > 0
        ? `Principal ${principal} was inserted with ${users(registered, n)}`
        : `Principal ${principal} was inserted`,
    update: ({ principal, registered, reset, n }) => {
      const done = [
        registered > 0 && `${users(registered, n)} registered`,
        reset > 0 && `${reset === 1 ? '1 password' : `${n(reset)} passwords`} reset`,
      ];
      return `Principal ${principal}: ${done.filter(Boolean).join(', ')}`;
    },
    state: ({ principal, details }) =>
      details.state === undefined
        ? `States of users of principal ${principal} were changed`
        : `Principal ${principal} was ${details.state === 'disabled' ? 'disabled' : 'enabled'}`,
    'call.completed': ({ count }) =>
      `A call was answered: ${count('records')} records, ${count('recordsFailed')} not applied`,
    'job.submitted': ({ count }) => `A job was sent: ${count('records')} records, ${count('users')} users`,
    'job.completed': ({ count }) =>
      `A job ended: ${count('records')} records, ${count('recordsFailed')} not applied`,
    'job.cancelled': () => 'A job was cancelled',
    'records.read': ({ count, details }) =>
      details.call === 'failed'
        ? 'A retry kit was read'
        : `${details.call === 'users' ? 'Users' : 'Principals'} were read: ${count('count')}`,
    login: ({ details }) => `User ${details.user} signed in`,
    'login.failed': ({ details }) =>
      typeof details.user === 'number'
        ? `A sign-in of user ${details.user} failed`
        : 'A sign-in with an unknown username failed',
    'login.refreshed': ({ details }) => `The session of user ${details.user} was carried on`,
    'login.reused': ({ details }) =>
      `A refresh token of user ${details.user} was used twice: what came of that sign-in was ended`,
    logout: ({ details }) => `User ${details.user} signed out`,
    'console.login': () => 'Signed in at the console',
    'console.logout': () => 'Signed out of the console',
    'client.created': ({ details }) => `The API client ${details.name} was created`,
    'client.changed': ({ client }) => `The API client ${client} was changed`,
    'client.rotated': ({ client }) => `The API client ${client} got a new secret`,
    'client.revoked': ({ client }) => `The API client ${client} was revoked`,
    'webhook.created': ({ details }) => `Webhook ${details.webhook} was created`,
    'webhook.changed': ({ details }) => `Webhook ${details.webhook} was changed`,
    'webhook.rotated': ({ details }) => `Webhook ${details.webhook} got a new secret`,
    'webhook.deleted': ({ details }) => `Webhook ${details.webhook} was deleted`,
    'webhook.disabled': ({ details }) => `Webhook ${details.webhook} was disabled: ${details.why}`,
    'webhook.replayed': ({ details, count }) =>
      `Messages of webhook ${details.webhook} were sent again: ${count('count')}`,
  } satisfies Record<string, (told: Told) => string>,
};

export type Words = typeof english;
