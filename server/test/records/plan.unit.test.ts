import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ErrorDetail } from '../../src/lib/error-codes.ts';
import { ApiError, FieldErrors } from '../../src/lib/field-errors.ts';
import type { CheckedRecord } from '../../src/records/check/batch.ts';
import { type CallOptions, defaultOptions } from '../../src/records/check/operation.ts';
import {
  type Approval,
  type Approvals,
  approvalText,
  PlanReview,
  readApproval,
  requireApproved,
} from '../../src/records/check/plan.ts';
import { type PrincipalFields, principalFieldNames } from '../../src/records/fields/fields.ts';
import { effectCounts, isUnchangedOutcome } from '../../src/records/read/effect-counts.ts';
import { noChange, type PrincipalChange } from '../../src/records/write/change.ts';
import type { Outcome } from '../../src/records/write/outcome.ts';

interface Example {
  readonly text?: string;
  readonly tag?: string;
  readonly removals?: number;
  readonly storedUsers?: number;
  readonly invalid?: boolean;
}

/** `tag` is the version of the principal, on which the tag of the record depends. */
function checked({ tag = 'a tag', removals = 0, storedUsers = 0, invalid = false }: Example): CheckedRecord {
  const errors = new FieldErrors();
  if (invalid) errors.add('Email', 'EMAIL_INVALID');
  const parsed = { sentId: null, principalId: null, externalKey: 'C-1', namedBy: 'ExternalKey' } as const;
  const ids = Array.from({ length: removals }, (_, id) => id);
  const change: PrincipalChange = {
    ...noChange,
    principalId: 1,
    action: 'update',
    principal: { kind: 'edit', values: { fields: noFields, state: 'active', aliases: [] }, changed: [] },
    expectedVersion: tag,
    storedUsers,
    users: ids.map((id) => ({ kind: 'delete', id })),
    applied: ids.map((id) => ({ id, username: '', email: null, operation: 'delete' })),
  };
  return {
    position: 0,
    fields: async () => ({}),
    parsed: { ...parsed, principal: null, users: [], allowsSimilar: true, errors },
    change: invalid ? null : change,
  };
}

const noFields = Object.fromEntries(principalFieldNames.map((name) => [name, null])) as PrincipalFields;

interface Rules {
  readonly options?: Partial<CallOptions>;
  readonly expected?: string | null;
  readonly maxRemovals?: number;
  readonly key?: string;
  readonly dryRun?: boolean;
}

async function review(examples: readonly Example[], rules: Rules = {}): Promise<string | null> {
  const { options, expected = null, maxRemovals = 10, key = 'a key', dryRun = false } = rules;
  const reviewed = new PlanReview({
    options: { ...defaultOptions, ...options },
    expected,
    maxRemovals,
    resumed: null,
    dryRun,
    newDigest: () => createHmac('sha256', key),
  });
  for (const example of examples) reviewed.approve(checked(example), Buffer.from(example.text ?? '{}'));
  return reviewed.finish();
}

const planFor = (examples: readonly Example[], rules: Rules = {}) =>
  review(examples, { ...rules, dryRun: true });

const refusal = (reviewing: Promise<unknown>): Promise<ErrorDetail | null> =>
  reviewing.then(
    () => null,
    (error) => {
      expect(error).toBeInstanceOf(ApiError);
      return (error as ApiError).detail;
    },
  );

describe('the tag of a plan', () => {
  it('is the same for the same records with the same effects', async () => {
    const records = [
      { text: '{"a":1}', tag: 'one' },
      { text: '{"b":2}', tag: 'two' },
    ];
    const plan = await planFor(records);
    expect(plan).toMatch(/^[\w-]{43}$/);
    expect(await planFor(records)).toBe(plan);
    expect(await review(records, { expected: plan })).toBe(plan);
  });

  it('is not computed for a call without a dry run and without If-Match', async () => {
    expect(await review([{}])).toBeNull();
  });

  it.each<[string, readonly Example[], Rules]>([
    ['another effect', [{ text: 'ab', tag: 'other' }], {}],
    ['another record', [{ text: 'ax', tag: 'one' }], {}],
    [
      'one more record',
      [
        { text: 'ab', tag: 'one' },
        { text: 'ab', tag: 'one' },
      ],
      {},
    ],
    [
      'the bytes divided in another way',
      [
        { text: 'a', tag: 'b' },
        { text: '', tag: 'one' },
      ],
      {},
    ],
    ['a record that fails', [{ text: 'ab', tag: 'one', invalid: true }], {}],
    ['another option', [{ text: 'ab', tag: 'one' }], { options: { missing: 'delete' } }],
    ['another key of the service', [{ text: 'ab', tag: 'one' }], { key: 'another key' }],
  ])('differs for %s', async (_, records, rules) => {
    const plan = await planFor([{ text: 'ab', tag: 'one' }]);
    expect(await planFor(records, rules)).not.toBe(plan);
    expect(await refusal(review(records, { ...rules, expected: plan }))).toMatchObject({
      code: 'PLAN_OUTDATED',
    });
  });

  it('does not depend on the right of the caller to read stored values', async () => {
    const plan = await planFor([{}], { options: { showsStored: true } });
    expect(await planFor([{}], { options: { showsStored: false } })).toBe(plan);
  });

  it('depends on every byte of records of several hundred kilobytes', async () => {
    const [text, other] = ['x', 'y'].map((last) => `${'x'.repeat(300_000)}${last}`);
    expect(await planFor([{ text: text ?? '' }])).not.toBe(await planFor([{ text: other ?? '' }]));
  });
});

describe('the limit of removals', () => {
  it.each([
    [20, 20, null],
    [21, 21, 20],
    [21, 200, 20],
    [21, 210, null],
    [22, 210, 21],
    [22, 219, 21],
    [22, 220, null],
  ])('allows 20 users or 10 %%, whichever is more: %d of %d', async (removals, storedUsers, allowed) => {
    const half = Math.floor(removals / 2);
    const records = [
      { removals: half, storedUsers },
      { removals: removals - half, storedUsers: 0 },
    ];
    const expected =
      allowed === null
        ? null
        : { code: 'TOO_MANY_REMOVALS', variant: 'call', figures: { removals, users: storedUsers, allowed } };
    expect(await refusal(review(records))).toEqual(expected);
  });

  it('does not apply to a dry run or to a call with a plan', async () => {
    const records = [{ removals: 5000, storedUsers: 5000 }];
    const plan = await planFor(records);
    expect(await review(records, { expected: plan })).toBe(plan);
  });

  it('does not count the removals of an invalid record', async () => {
    expect(await review([{ removals: 5000, storedUsers: 5000, invalid: true }])).toBeNull();
  });

  it('is 20 users with 0 %, and does not apply with 100 %', async () => {
    expect(await refusal(review([{ removals: 21, storedUsers: 5000 }], { maxRemovals: 0 }))).not.toBeNull();
    expect(await refusal(review([{ removals: 21, storedUsers: 21 }], { maxRemovals: 100 }))).toBeNull();
  });
});

describe('a record of an approved call', () => {
  it('gets an error if it would have another effect than the one in the plan', () => {
    const options = {
      options: defaultOptions,
      expected: 'a plan',
      maxRemovals: 10,
      resumed: null,
      dryRun: false,
    };
    const planned = new PlanReview({ ...options, newDigest: () => createHmac('sha256', 'a key') });
    const approved = planned.approve(checked({ tag: 'one' }), Buffer.from('{}'));
    const same = checked({ tag: 'one' });
    requireApproved(same, approved);
    expect(same.parsed.errors.none).toBe(true);
    const { parsed, change } = checked({ tag: 'two' });
    requireApproved({ parsed, change }, approved);
    expect([...parsed.errors.byPlace.keys()]).toEqual(['ExternalKey']);
    expect(parsed.errors.firstOfKind.has('PLAN_OUTDATED')).toBe(true);
  });

  it('gets an error if it would remove more users than were approved without a plan', () => {
    const reviewed = new PlanReview({
      options: { ...defaultOptions, missing: 'delete' },
      expected: null,
      maxRemovals: 10,
      resumed: null,
      dryRun: false,
      newDigest: () => createHmac('sha256', 'a key'),
    });
    const approved = reviewed.approve(checked({ removals: 3, storedUsers: 9 }), Buffer.from('{}'));
    const fewer = checked({ removals: 2 });
    requireApproved(fewer, approved);
    expect(fewer.parsed.errors.none).toBe(true);
    const more = checked({ removals: 4 });
    requireApproved(more, approved);
    expect(more.parsed.errors.firstOfKind.get('PLAN_OUTDATED')).toMatchObject({
      variant: 'removals',
      figures: { allowed: 3, removals: 4 },
    });
  });
});

describe('the stored form of an approval', () => {
  it.each<[string, Approval]>([
    ['removals 3', { kind: 'removals', atMost: 3 }],
    ['a tag', { kind: 'effect', tag: 'a tag' }],
    ['unknown', { kind: 'nothing' }],
  ])('is read as what was approved: %s', (text, approval) => {
    expect(approvalText(approval)).toBe(text);
    expect(readApproval(text)).toEqual(approval);
  });
});

describe('a record of a resumed call', () => {
  const resumed = (approvals: Approvals, expected: string | null) =>
    new PlanReview({
      options: { ...defaultOptions, missing: 'delete' },
      expected,
      maxRemovals: 10,
      resumed: approvals,
      dryRun: false,
      newDigest: () => createHmac('sha256', 'a key'),
    });

  it('gets an error if it would remove more users than the stored approval allows', () => {
    const record = checked({ removals: 2 });
    const review = resumed([{ kind: 'removals', atMost: 1 }], null);
    expect(review.approve(record, Buffer.from('{}'))).toEqual({ kind: 'removals', atMost: 1 });
    expect(record.parsed.errors.firstOfKind.has('PLAN_OUTDATED')).toBe(true);
    expect(review.finish()).toBeNull();
  });

  it('gets an error if its approval is missing and the call was sent with a plan', () => {
    const [planned, unplanned] = [checked({}), checked({})];
    expect(resumed([], 'a plan').approve(planned, Buffer.from('{}'))).toEqual({ kind: 'nothing' });
    expect(planned.parsed.errors.firstOfKind.has('PLAN_OUTDATED')).toBe(true);
    expect(resumed([], null).approve(unplanned, Buffer.from('{}'))).toBeNull();
    expect(unplanned.parsed.errors.none).toBe(true);
  });
});

describe('the counts of an upsert', () => {
  const outcome = (more: Partial<Outcome>): Outcome => ({
    id: 1,
    error: null,
    errors: new FieldErrors(),
    users: [],
    ...more,
  });
  const user = (operation: Outcome['users'][number]['operation']) => ({
    id: 1,
    username: 'mario',
    email: null,
    operation,
  });

  it('contain principals, users and unchanged records, and no failed records', () => {
    expect(
      effectCounts([
        outcome({ principal: 'inserted', users: [user('register'), user('register')] }),
        outcome({ principal: 'updated' }),
        outcome({ principal: 'deleted' }),
        outcome({ principal: 'unchanged', users: [user('edit'), user('disable'), user('delete')] }),
        outcome({ principal: 'unchanged', users: [user('none')] }),
        outcome({ error: { code: 'INVALID_RECORD', variant: 'done' } }),
      ]),
    ).toEqual({
      principalsInserted: 1,
      principalsUpdated: 1,
      principalsDeleted: 1,
      usersRegistered: 2,
      usersUpdated: 1,
      usersMoved: 0,
      usersDisabled: 1,
      usersDeleted: 1,
      unchanged: 1,
    });
  });

  it('contain a record as unchanged only if neither its principal nor a user changes', () => {
    expect(isUnchangedOutcome(outcome({ principal: 'unchanged', users: [user('none')] }))).toBe(true);
    expect(isUnchangedOutcome(outcome({ principal: 'unchanged', users: [user('edit')] }))).toBe(false);
    expect(isUnchangedOutcome(outcome({ principal: 'updated' }))).toBe(false);
    expect(
      isUnchangedOutcome(
        outcome({ error: { code: 'INVALID_RECORD', variant: 'done' }, principal: 'unchanged' }),
      ),
    ).toBe(false);
  });
});
