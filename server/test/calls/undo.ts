import { randomUUID } from 'node:crypto';
import { adminOf, recordOf } from '@anagrafe/testing/admin';
import { finished, importedUser, jobOf } from '@anagrafe/testing/jobs';
import type { TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Tuple } from '../../src/records/read/tuple.ts';

export interface UndoPlan {
  readonly Plan: string;
  readonly PrincipalsUpdated: number;
  readonly PrincipalsDeleted?: number;
  readonly UsersUpdated: number;
  readonly UsersDeleted: number;
  readonly RecordsFailed: number;
  readonly tuples: readonly Tuple[];
}

/** Sends a call as a part of a run. */
export async function send(service: TestService, run: string | null, operation: string, records: unknown) {
  const headers = { prefer: 'return=representation', ...(run && { 'anagrafe-run': run }) };
  return service.call(`irs/${operation}`, records, { headers });
}

/** Sends one record, which must be applied. Returns the IDs of its principal and users. */
export async function sendApplied(
  service: TestService,
  run: string | null,
  operation: string,
  record: object,
) {
  const { status, body, text } = await send(service, run, operation, [record]);
  expect(status, text).toBe(200);
  const [tuple] = body.result?.records ?? [];
  return { id: tuple?.Item1 ?? 0, userIds: (tuple?.Item6.Users ?? []).map(({ ID }) => ID) };
}

export async function planUndo(service: TestService, run: string): Promise<UndoPlan> {
  const answer = await adminOf(service)<Tuple>(`POST runs/${run}/undo?dryRun=true`, {
    prefer: 'return=representation',
  });
  expect([200, 207, 422], answer.text).toContain(answer.status);
  return { ...recordOf<UndoPlan>(answer), tuples: answer.body.result?.records ?? [] };
}

/** Undoes a run as its plan says. Returns the plan. */
export async function undo(service: TestService, run: string): Promise<UndoPlan> {
  const plan = await planUndo(service, run);
  const submitted = await adminOf(service)(`POST runs/${run}/undo`, {
    prefer: 'respond-async',
    'if-match': `"${plan.Plan}"`,
    'idempotency-key': randomUUID(),
  });
  expect(submitted.status, submitted.text).toBe(202);
  await finished(service, jobOf(submitted).ID);
  return plan;
}

/** Returns everything that is stored about principals and users, except IDs of sessions and times. */
export async function stored(service: TestService): Promise<unknown> {
  const [state] = await service.database.query<{ state: unknown }>(
    `select json_build_object(
       'principals', (select json_agg(to_jsonb(p) - 'updated_at' - 'sessions_epoch' - 'version_at' order by id) from anagrafe.principals as p),
       'users', (select json_agg(to_jsonb(u) - 'updated_at' - 'sessions_epoch' order by id) from anagrafe.users as u)
     ) as state`,
  );
  return state?.state;
}

const text = fc.constantFrom('alfa', 'beta', 'gamma', 'delta "quoted", \\ {back}', 'È');
const optional = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined });
const state = fc.constantFrom('active', 'disabled');
const userFields = {
  Phone: optional(fc.oneof(text, fc.constant(''))),
  FirstName: optional(fc.oneof(text, fc.constant(''))),
  Attributes: optional(fc.oneof(fc.dictionary(fc.constantFrom('A', 'B'), text), fc.constant({}))),
};
const number = fc.nat(3);
const position = fc.nat(7);

/** A call of a run: what it does to which principal and user. The IDs are filled in when it is sent. */
export const runCalls = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), users: fc.nat(2) }),
    fc.record({ kind: fc.constant('register' as const), principal: number }),
    fc.record({
      kind: fc.constant('edit' as const),
      principal: number,
      user: position,
      rename: fc.boolean(),
      state: optional(state),
      fields: fc.record(userFields),
    }),
    fc.record({
      kind: fc.constant('principal' as const),
      principal: number,
      fields: fc.record({
        Denomination: optional(text),
        Vatnumber: optional(fc.oneof(text, fc.constant(''))),
      }),
      newKey: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('move' as const), principal: number, user: position, to: number }),
    fc.record({ kind: fc.constant('state' as const), principal: number, state }),
    fc.record({
      kind: fc.constant('sync' as const),
      principal: number,
      keeps: position,
      fields: fc.record(userFields),
    }),
  ),
  { minLength: 1, maxLength: 8 },
);
export type RunCalls = typeof runCalls extends fc.Arbitrary<infer Calls> ? Calls : never;

let names = 0;
const newName = () => `undo.${++names}`;

interface Known {
  readonly id: number;
  readonly users: { readonly id: number; username: string }[];
}

async function insert(service: TestService, run: string | null, users: number): Promise<Known> {
  const Users = Array.from({ length: users }, () => importedUser(newName(), { Phone: 'first' }));
  const key = `key ${newName()}`;
  const { body, text } = await send(service, run, 'insert', [
    { ExternalKey: key, Denomination: 'First', Users },
  ]);
  const [tuple] = body.result?.records ?? [];
  expect(tuple?.Item3, text).toBe(true);
  return {
    id: tuple?.Item1 ?? 0,
    users: (tuple?.Item6.Users ?? []).map(({ ID }, at) => ({ id: ID, username: Users[at]?.Username ?? '' })),
  };
}

/** Sends the calls as a run beside other principals, and expects that the undo leaves everything as it was before. */
export async function expectUndone(service: TestService, calls: RunCalls): Promise<void> {
  const known: Known[] = [];
  for (const users of [0, 2, 3]) known.push(await insert(service, null, users));
  const before = await stored(service);
  const run = randomUUID();
  let sent = 0;
  for (const call of calls) if (await sendCall(service, run, call, known)) sent++;
  if (sent === 0) return;
  const { body } = await adminOf(service)(`POST runs/${run}/undo?dryRun=true`, {});
  // Calls can be applied without a change, such as the move of a user to its own principal.
  if (body.errorCode !== 'NOTHING_TO_UNDO') {
    const plan = await undo(service, run);
    expect(plan.RecordsFailed).toBe(0);
  }
  expect(await stored(service)).toEqual(before);
}

async function sendCall(service: TestService, run: string, call: RunCalls[number], known: Known[]) {
  if (call.kind === 'insert') {
    known.push(await insert(service, run, call.users));
    return true;
  }
  const principal = known[call.principal % known.length] as Known;
  const { id: ID, users } = principal;
  const submit = async (operation: string, record: object) => {
    const { body } = await send(service, run, operation, [record]);
    const [tuple] = body.result?.records ?? [];
    return tuple?.Item3 ? tuple : null;
  };
  if (call.kind === 'register') {
    const username = newName();
    const tuple = await submit('update', { ID, Users: [importedUser(username)] });
    const [user] = tuple?.Item6.Users ?? [];
    if (user) users.push({ id: user.ID, username });
    return tuple !== null;
  }
  if (call.kind === 'state') return (await submit('state', { ID, State: call.state })) !== null;
  if (call.kind === 'principal') {
    const NewExternalKey = call.newKey ? `key ${newName()}` : undefined;
    return (await submit('update', { ID, ...call.fields, NewExternalKey })) !== null;
  }
  const user = users[('user' in call ? call.user : call.keeps) % Math.max(users.length, 1)];
  if (!user) return false;
  if (call.kind === 'move') {
    const target = known[call.to % known.length] as Known;
    const moved = { ID: target.id, Users: [{ Operation: 'move', ID: user.id }] };
    const tuple = await submit('update', moved);
    if (tuple) target.users.push(...users.splice(users.indexOf(user), 1));
    return tuple !== null;
  }
  if (call.kind === 'sync') {
    const { Phone, FirstName, Attributes } = call.fields;
    const Users = [{ Username: user.username, Phone, FirstName, Attributes }];
    return (await submit('upsert?missing=disable', { ID, Users })) !== null;
  }
  const NewUsername = call.rename ? newName() : undefined;
  const edit = { ID: user.id, Operation: 'edit', NewUsername, State: call.state, ...call.fields };
  const tuple = await submit('update', { ID, Users: [edit] });
  if (tuple && NewUsername) user.username = NewUsername;
  return tuple !== null;
}
