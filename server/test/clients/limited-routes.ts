import { newUser } from '@anagrafe/testing/service';
import type { Subject } from './limited-world.ts';

interface Sent {
  /** The path with its query, below the service's URL. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/**
 * How a route treats a limited caller. `refused`: it refuses one. `public`: it needs no credential, and has no data of
 * principals. `user`: it is for signed-in users. A function returns requests that name a subject: a foreign subject gets the
 * same answers as a missing one.
 */
type Case = 'refused' | 'public' | 'user' | ((subject: Subject) => readonly Sent[]);

const sync = '/api/sync/v1';
const admin = '/admin/v1';
const password = { Password: 'another right password', ConfirmPassword: 'another right password' };

/** The same records by the ID and by the external key of the principal. */
const byBoth = ({ id, key }: Subject, ...records: object[]) =>
  records.flatMap((record) => [
    { ID: id, ...record },
    { ExternalKey: key, ...record },
  ]);

/** The same call at once, as a dry run, and with the users in the answer. */
const inAllWays = (path: string, body: unknown): Sent[] => [
  { path: `${path}${path.includes('?') ? '&' : '?'}dryRun=true`, body },
  { path, body, headers: { prefer: 'return=representation' } },
];

const bothUsers = ({ userId, username }: Subject, fields: object = {}) => [
  { Users: [{ ID: userId, ...fields }] },
  { Users: [{ Username: username, ...fields }] },
];

/** The users of the subject, named in a record of the caller's own principal. */
const underOwn = (of: Subject, fields: object = {}) =>
  bothUsers(of, fields).map((record) => ({ ExternalKey: 'own-key', ...record }));

export const routes: Readonly<Record<string, Case>> = {
  [`GET ${sync}/events`]: () => [
    { path: `${sync}/events?pageSize=1000` },
    { path: `${sync}/events?order=newest&pageSize=1000` },
  ],
  [`POST ${sync}/irs/list`]: (of) => [
    { path: `${sync}/irs/list`, body: {} },
    { path: `${sync}/irs/list`, body: { Date: '2020-01-01' } },
    ...[
      { ID: of.id },
      { ExternalKey: of.key },
      { Search: of.username },
      { Search: of.denomination },
      { Search: of.vatnumber },
      { Tags: [of.tag] },
    ].map((body) => ({ path: `${sync}/irs/list`, body })),
  ],
  [`POST ${sync}/irs/users`]: (of) => [
    { path: `${sync}/irs/users`, body: {} },
    ...[
      { ID: of.id },
      { ExternalKey: of.key },
      { UserID: of.userId },
      { Username: of.username },
      { Usernames: [of.username, 'own.user'] },
      { Email: of.email },
      { Search: of.username },
      { Search: of.email },
      { Tags: [of.tag] },
      { Sort: '-UpdatedAt' },
    ].map((body) => ({ path: `${sync}/irs/users`, body })),
  ],
  [`GET ${sync}/irs/export`]: (of) => [
    ...['', `?id=${of.id}`, `?externalKey=${of.key}`, `?tags=${of.tag}`, '?hashes=true'].map((query) => ({
      path: `${sync}/irs/export${query}`,
    })),
  ],
  [`POST ${sync}/irs/insert`]: (of) =>
    inAllWays(`${sync}/irs/insert?similar=refuse`, [
      { Denomination: of.denomination, Surname: 'x'.repeat(300) },
      { Vatnumber: of.vatnumber, Surname: 'x'.repeat(300) },
      { Surname: 'tagged', Tags: [of.tag] },
    ]),
  [`POST ${sync}/irs/upsert`]: (of) => [
    ...inAllWays(`${sync}/irs/upsert?similar=refuse`, [
      { ID: of.id, Name: 'stolen' },
      { ID: of.id, Users: [{ Username: of.username, FirstName: 'stolen' }] },
      { ExternalKey: 'new-key', Denomination: of.denomination, Surname: 'x'.repeat(300) },
    ]),
    {
      path: `${sync}/irs/upsert?missing=delete&dryRun=true`,
      body: [{ ID: of.id, Users: [] }],
    },
  ],
  [`POST ${sync}/irs/update`]: (of) => [
    ...inAllWays(`${sync}/irs/update`, [
      ...byBoth(of, { Users: [newUser('new.user')] }, { Name: 'stolen' }, { Tags: ['own-tag'] }),
      ...byBoth(of, ...bothUsers(of, { Operation: 'reset', ...password })),
      ...byBoth(of, ...bothUsers(of, { Operation: 'edit', Email: 'stolen@example.com' })),
      ...byBoth(of, ...bothUsers(of, { Operation: 'delete' })),
      ...underOwn(of, { Operation: 'reset', ...password }),
      ...underOwn(of, { Operation: 'edit', Email: 'stolen@example.com' }),
      ...underOwn(of, { Operation: 'delete' }),
      ...underOwn(of, { Operation: 'move' }),
    ]),
    {
      path: `${sync}/irs/update`,
      body: [{ ID: of.id, Name: 'stolen' }],
      headers: { prefer: 'respond-async' },
    },
  ],
  [`POST ${sync}/irs/state`]: (of) =>
    inAllWays(`${sync}/irs/state`, [
      ...byBoth(of, { State: 'disabled' }),
      ...byBoth(of, ...bothUsers(of, { State: 'disabled' })),
      ...underOwn(of, { State: 'disabled' }),
    ]),
  [`POST ${sync}/irs/delete`]: (of) =>
    inAllWays(`${sync}/irs/delete`, [...byBoth(of, {}), ...byBoth(of, ...bothUsers(of)), ...underOwn(of)]),
  [`POST ${sync}/irs/invite`]: (of) =>
    inAllWays(`${sync}/irs/invite`, [
      ...byBoth(of, { Invite: 'code' }),
      ...byBoth(of, ...bothUsers(of, { Invite: 'code' })),
      ...underOwn(of, { Invite: 'code' }),
    ]),
  [`POST ${sync}/irs/merge`]: (of) =>
    inAllWays(`${sync}/irs/merge`, [
      ...byBoth(of, { From: { ExternalKey: 'own-key' } }),
      { ExternalKey: 'own-key', From: { ID: of.id } },
      { ExternalKey: 'own-key', From: { ExternalKey: of.key } },
    ]),
  [`GET ${sync}/jobs`]: () => [{ path: `${sync}/jobs` }],
  [`GET ${sync}/jobs/{id}`]: (of) => [
    { path: `${sync}/jobs/${of.job}` },
    { path: `${sync}/jobs/${of.call}` },
    { path: `${sync}/jobs/${of.job}`, headers: { prefer: 'return=representation' } },
  ],
  [`GET ${sync}/jobs/{id}/failed`]: (of) => [{ path: `${sync}/jobs/${of.job}/failed` }],
  [`DELETE ${sync}/jobs/{id}`]: (of) => [{ path: `${sync}/jobs/${of.job}` }],
  [`POST ${sync}/jobs/{id}/invitations`]: (of) => [{ path: `${sync}/jobs/${of.job}/invitations` }],
  [`POST ${sync}/login`]: 'public',
  [`POST ${sync}/login/refresh`]: 'public',
  [`POST ${sync}/logout`]: 'user',
  [`POST ${sync}/password/check`]: 'public',
  [`POST ${sync}/password/forgot`]: 'public',
  [`POST ${sync}/password/set`]: 'public',
  [`GET ${sync}/sessions`]: 'user',
  [`DELETE ${sync}/sessions`]: 'user',
  [`DELETE ${sync}/sessions/{session}`]: 'user',
  [`GET ${admin}/audit`]: 'refused',
  [`GET ${admin}/audit/verify`]: 'refused',
  [`GET ${admin}/audit/{position}/changes`]: 'refused',
  [`GET ${admin}/calls`]: () => [{ path: `${admin}/calls` }, { path: `${admin}/calls?failed=true` }],
  [`GET ${admin}/calls/{id}`]: (of) => [
    { path: `${admin}/calls/${of.call}` },
    { path: `${admin}/calls/${of.job}` },
  ],
  [`GET ${admin}/calls/{id}/failed`]: (of) => [{ path: `${admin}/calls/${of.call}/failed` }],
  [`GET ${admin}/clients`]: 'refused',
  [`POST ${admin}/clients`]: 'refused',
  [`DELETE ${admin}/clients/{publicKey}`]: 'refused',
  [`PATCH ${admin}/clients/{publicKey}`]: 'refused',
  [`POST ${admin}/clients/{publicKey}/rotate`]: 'refused',
  [`GET ${admin}/failures`]: () => [{ path: `${admin}/failures` }],
  [`GET ${admin}/health`]: 'refused',
  [`GET ${admin}/jobs`]: () => [{ path: `${admin}/jobs` }, { path: `${admin}/jobs?failed=true` }],
  [`GET ${admin}/mails`]: (of) => [
    { path: `${admin}/mails` },
    { path: `${admin}/mails?user=${of.userId}` },
    { path: `${admin}/mails?callId=${of.call}` },
    { path: `${admin}/mails?run=${of.run}` },
    { path: `${admin}/mails?state=sent` },
  ],
  [`POST ${admin}/mails/resend`]: (of) => [
    { path: `${admin}/mails/resend`, body: { CallID: of.call } },
    { path: `${admin}/mails/resend`, body: { CallID: of.call, PerMinute: 5 } },
    { path: `${admin}/mails/resend`, body: { CallID: of.job } },
  ],
  [`GET ${admin}/operators`]: 'refused',
  [`POST ${admin}/operators`]: 'refused',
  [`PATCH ${admin}/operators/{id}`]: 'refused',
  [`POST ${admin}/operators/{id}/reset`]: 'refused',
  [`GET ${admin}/operators/{id}/sessions`]: 'refused',
  [`DELETE ${admin}/operators/{id}/sessions`]: 'refused',
  [`DELETE ${admin}/operators/{id}/sessions/{session}`]: 'refused',
  [`GET ${admin}/runs`]: () => [{ path: `${admin}/runs` }],
  [`GET ${admin}/runs/{id}`]: (of) => [{ path: `${admin}/runs/${of.run}` }],
  [`POST ${admin}/runs/{id}/undo`]: (of) => [
    { path: `${admin}/runs/${of.run}/undo?dryRun=true` },
    ...(of.username === 'own.user' ? [] : [{ path: `${admin}/runs/${of.run}/undo` }]),
  ],
  [`GET ${admin}/settings`]: 'refused',
  [`GET ${admin}/statistics`]: 'refused',
  [`GET ${admin}/users/{id}/sessions`]: (of) => [{ path: `${admin}/users/${of.userId}/sessions` }],
  [`DELETE ${admin}/users/{id}/sessions`]: (of) => [{ path: `${admin}/users/${of.userId}/sessions` }],
  [`DELETE ${admin}/users/{id}/sessions/{session}`]: (of) => [
    { path: `${admin}/users/${of.userId}/sessions/${of.session}` },
  ],
  [`GET ${admin}/webhooks`]: 'refused',
  [`POST ${admin}/webhooks`]: 'refused',
  [`DELETE ${admin}/webhooks/{id}`]: 'refused',
  [`PATCH ${admin}/webhooks/{id}`]: 'refused',
  [`GET ${admin}/webhooks/{id}/deliveries`]: 'refused',
  [`GET ${admin}/webhooks/{id}/deliveries/{delivery}`]: 'refused',
  [`POST ${admin}/webhooks/{id}/deliveries/{delivery}/replay`]: 'refused',
  [`POST ${admin}/webhooks/{id}/replay`]: 'refused',
  [`POST ${admin}/webhooks/{id}/rotate`]: 'refused',
  [`POST ${admin}/webhooks/{id}/test`]: 'refused',
};
