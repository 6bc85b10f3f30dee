import { importedUser } from '@anagrafe/testing/jobs';
import { plainRules, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { countsOf, effectsOf, upsert } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';
import { ErrorBudget } from '../../src/lib/field-errors.ts';
import { required } from '../../src/lib/required.ts';
import { checkRecords } from '../../src/records/check/batch.ts';
import { openCheckStore } from '../../src/records/check/check.store.ts';
import { shownBytes } from '../../src/records/check/memory-estimates.ts';
import { type CheckTools, defaultOptions } from '../../src/records/check/operation.ts';
import { upsertOperation } from '../../src/records/operations/upsert.ts';
import { outcomeOf } from '../../src/records/write/change.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** More users than those whose attributes are read at once. */
const count = 450;
const valueLength = 1000;

/** Registers users with one attribute each. */
async function registerUsers() {
  const ExternalKey = unique('C');
  const usernames = Array.from({ length: count }, () => unique('user'));
  const Users = usernames.map((username, at) =>
    importedUser(username, { Email: 'old@example.com', Attributes: { Note: noteOf(at) } }),
  );
  expect((await upsert(service, [{ ExternalKey, Users }])).status).toBe(200);
  return { ExternalKey, usernames };
}

const noteOf = (at: number) => `${at} `.padEnd(valueLength, 'x');

async function storedNotes(externalKey: string): Promise<(string | undefined)[]> {
  const rows = await service.database.query<{ attributes: { Note?: string } | null }>(
    `select attributes from anagrafe.users where principal_id =
       (select id from anagrafe.principals where external_key = $1) order by id`,
    [externalKey],
  );
  return rows.map(({ attributes }) => attributes?.Note);
}

describe('stored attributes', () => {
  it('stay as they are if a record changes other fields', async () => {
    const { ExternalKey, usernames } = await registerUsers();
    const Users = usernames.map((Username) => ({ Username, Email: 'new@example.com' }));
    const answer = await upsert(service, [{ ExternalKey, Users }]);
    expect(countsOf(answer)).toMatchObject({ UsersUpdated: count });
    const edits = usernames.map((Username) => ({ Operation: 'edit', Username, Phone: '1' }));
    expect((await service.call('irs/update', [{ ExternalKey, Users: edits }])).status).toBe(200);
    const states = usernames.map((Username) => ({ Username, State: 'disabled' }));
    expect((await service.call('irs/state', [{ ExternalKey, Users: states }])).status).toBe(200);
    expect(await storedNotes(ExternalKey)).toEqual(usernames.map((_, at) => noteOf(at)));
  });

  it('are compared with the sent ones, so that only users whose attributes differ are changed', async () => {
    const { ExternalKey, usernames } = await registerUsers();
    const isChanged = (at: number) => at % 7 === 0;
    const isCleared = (at: number) => at % 100 === 0;
    const sentNote = (at: number) => (isChanged(at) ? 'changed' : noteOf(at));
    const Users = usernames.map((Username, at) => {
      return { Username, Attributes: isCleared(at) ? {} : { Note: sentNote(at) } };
    });
    const changed = usernames.filter((_, at) => isChanged(at) || isCleared(at));
    const shown = await upsert(service, [{ ExternalKey, Users }], 'dryRun=true');
    const [effects] = effectsOf(shown);
    const changes = effects?.Users?.filter(({ Changes }) => Changes) ?? [];
    expect(changes.map(({ Username }) => Username)).toEqual(changed);
    expect(changes[1]?.Changes).toEqual([
      { Field: 'Attributes', From: { Note: `${noteOf(7).slice(0, 100)}…` }, To: { Note: 'changed' } },
    ]);
    expect(countsOf(await upsert(service, [{ ExternalKey, Users }]))).toMatchObject({
      UsersUpdated: changed.length,
    });
    expect(await storedNotes(ExternalKey)).toEqual(
      usernames.map((_, at) => (isCleared(at) ? undefined : sentNote(at))),
    );
    expect(countsOf(await upsert(service, [{ ExternalKey, Users }]))).toMatchObject({ Unchanged: 1 });
  });

  it('are kept in memory only for a dry run that shows them', async () => {
    const { ExternalKey, usernames } = await registerUsers();
    const Users = usernames.map((Username) => ({ Username, Attributes: { Note: 'x' } }));
    const rules = {
      ...plainRules,
      maxRecordUsers: 1000,
      maxRemoved: 1000,
    };
    const operation = upsertOperation(openCheckStore(service.database, null), rules, defaultOptions);
    const bytesKept = async (tools: CheckTools) => {
      const record = { ExternalKey, Users: structuredClone(Users) };
      const sent = [{ position: 0, fields: async () => record }];
      const [checked] = await checkRecords(sent, operation, operation.startChecks(tools), new ErrorBudget());
      const { parsed, change } = required(checked);
      expect(parsed.errors.none).toBe(true);
      return shownBytes(outcomeOf(required(change), parsed.errors));
    };
    expect(await bytesKept({})).toBe(0);
    expect(await bytesKept({ showsChanges: true })).toBeGreaterThan(count * 100);
  });
});
