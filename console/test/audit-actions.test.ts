import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../server/src/audit/audit-log.ts';
import * as english from '../src/i18n/en.ts';
import * as italian from '../src/i18n/it.ts';

/** Rows about the records of one principal, which `useDescribeAuditRow` describes by their users and fields. */
type RecordAction = 'insert' | 'update' | 'state' | 'delete';

/** The details of a row of each other action, as the service writes them. The compiler requires every action. */
const details: Readonly<Record<Exclude<Action, RecordAction>, Readonly<Record<string, unknown>>>> = {
  'call.completed': { operation: 'update', records: 3, recordsFailed: 1, users: 3 },
  'job.submitted': { operation: 'insert', records: 3, users: 3 },
  'job.completed': { operation: 'insert', records: 3, recordsFailed: 1, users: 3 },
  'job.cancelled': {},
  'records.read': { call: 'users', count: 2 },
  'records.exported': { format: 'csv', hashes: false, all: true },
  login: { user: 7 },
  'login.failed': { user: 7 },
  'login.refreshed': { user: 7 },
  'login.reused': { user: 7 },
  logout: { user: 7 },
  'sessions.ended': { user: 7, sessions: 2 },
  'password.forgotten': { user: 7 },
  'invitations.issued': { count: 2, invited: [[7, 'code']] },
  'console.login': {},
  'console.logout': {},
  'client.created': { name: 'erp' },
  'client.changed': { client: 1 },
  'client.rotated': { client: 1 },
  'client.revoked': { client: 1 },
  'client.denied': { client: 1, why: 'secret', attempts: 2 },
  'operator.created': { operator: 9, name: 'Anna', role: 'desk' },
  'operator.changed': { operator: 9, role: 'editor' },
  'operator.reset': { operator: 9 },
  'operator.password': { operator: 9 },
  'operator.forgotten': { operator: 9 },
  'operator.second_factor': { operator: 9 },
  'operator.denied': { operator: 9 },
  'operator.refused': { operator: 9, role: 'desk', permission: 'clients.write', attempts: 1 },
  'operator.sessions_ended': { operator: 9, ended: 2 },
  'webhook.created': { webhook: 4, url: 'https://example.com/…' },
  'webhook.changed': { webhook: 4, url: 'https://example.com/…' },
  'webhook.rotated': { webhook: 4 },
  'webhook.deleted': { webhook: 4, url: 'https://example.com/…' },
  'webhook.disabled': { webhook: 4, url: 'https://example.com/…', reason: 'manual' },
  'webhook.replayed': { webhook: 4, count: 2 },
  'master_key.rotated': { from: '0a1b2c3d', to: '4e5f6071' },
};

describe.each([
  { language: 'English', actions: english.auditRow.actions },
  { language: 'Italian', actions: italian.auditRow.actions },
])('the audit log in $language', ({ actions }) => {
  const sentences: Readonly<Record<string, (values: english.AuditRowValues) => string>> = actions;

  it('has a text for exactly the actions that the service writes', () => {
    expect(Object.keys(sentences).toSorted()).toEqual(Object.keys(details).toSorted());
  });

  it.each(Object.entries(details))('describes a row with the action %s in one sentence', (action, found) => {
    const text = sentences[action]?.({
      principal: 1,
      details: found,
      user: 'mario.rossi',
      client: 'erp',
      url: ' (https://example.com/…)',
      why: 'Disabled manually',
      count: (name) => String(found[name]),
    });
    expect(text).toMatch(/^\p{Lu}.*\.$/u);
    expect(text).not.toMatch(/\b(undefined|null|NaN)\b|\[object/);
  });
});

it.each(Object.keys(details))('the reference of the audit log lists the action %s', (action) => {
  const page = readFileSync(new URL('../../docs/api/admin.md', import.meta.url), 'utf8');
  expect(page).toContain(`\`${action}\``);
});
