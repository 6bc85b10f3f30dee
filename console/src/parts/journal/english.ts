import type { Told } from './told.ts';

/** "1 record", "12 records". */
const some = (told: string, what: string) => `${told} ${what}${told === '1' ? '' : 's'}`;

/** What was done, by the rows of the journal. */
export const english = {
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
  } satisfies Record<string, (told: Told) => string>,
};

export type Words = typeof english;
