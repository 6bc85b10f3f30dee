import { openGroupedWrites, reset } from '@anagrafe/testing/grouped-writes';
import { plainRules } from '@anagrafe/testing/records';
import { expect, it } from 'vitest';
import { serviceActor } from '../../src/audit/audit-log.ts';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import { required } from '../../src/lib/required.ts';
import { applyRecords } from '../../src/records/operations/apply.ts';
import { updateOperation } from '../../src/records/operations/update.ts';
import { RecordWriter } from '../../src/records/write/record-writer.ts';

it('the records of a principal are written in the order sent if a password between them could not be hashed', async () => {
  const { checkStore, writeStore, newPrincipals, usersOf } = await openGroupedWrites();
  const [principal] = await newPrincipals(1);
  const { id, user } = required(principal);
  const rules = plainRules;
  const operation = updateOperation(checkStore, rules);
  const passwords = ['the first password', 'the second password', 'the third password'];
  const records = passwords.map((Password) => ({
    ID: id,
    Users: [{ ...reset(user), Password, ConfirmPassword: Password }],
  }));
  const errors = records.map(() => new FieldErrors());
  const parsed = await Promise.all(
    records.map((record, at) => operation.parse(record, required(errors[at]))),
  );
  const changes = await operation.startChecks()(parsed);

  let endFirst = (_hash: string): void => undefined;
  const firstHash = new Promise<string>((resolve) => {
    endFirst = resolve;
  });
  const hash = (text: string) => {
    if (text === passwords[0]) return firstHash;
    return text === passwords[1]
      ? Promise.reject(new Error('the password cannot be hashed'))
      : Promise.resolve(text);
  };
  const applied = applyRecords(
    parsed.map((each, position) => ({
      position,
      parsed: each,
      change: changes[position] ?? null,
      ids: { principal: null, users: [] },
      approval: null,
    })),
    {
      operation,
      actor: serviceActor,
      call: null,
      callerTags: null,
      hashes: { hash },
      writer: new RecordWriter(writeStore),
      lastOutcomes: new Map(),
      report: () => undefined,
    },
  );
  // Longer than it takes to write the third record, if that does not wait.
  await new Promise((resolve) => setTimeout(resolve, 500));
  endFirst('the first password');
  const outcomes = await applied;
  expect(outcomes.map((outcome) => outcome?.error?.code ?? null)).toEqual([null, 'RECORD_FAILED', null]);
  expect((await usersOf(id))[0]?.hash).toBe('the third password');
});
