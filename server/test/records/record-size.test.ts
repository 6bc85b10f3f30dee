import { done, importedUser } from '@anagrafe/testing/jobs';
import { codesOf, insertPrincipal, range, unique } from '@anagrafe/testing/records';
import { startTestService } from '@anagrafe/testing/service';
import { countsOf, upsert } from '@anagrafe/testing/upserts';
import { describe, expect, it } from 'vitest';

const service = await startTestService({ ANAGRAFE_MAX_RECORD_USERS: '20' });
const users = (count: number) => range(count).map(() => importedUser(unique('user')));

describe('a record with more users than the limit', () => {
  it('fails alone, and names the limit and the way out', async () => {
    const { id } = await insertPrincipal(service, { Denomination: 'Rossi' });
    const answer = await service.call('irs/update', [
      { ID: id, Users: users(21) },
      { ID: id, Users: users(20) },
    ]);
    expect([answer.status, codesOf(answer)]).toEqual([207, ['RECORD_TOO_LARGE', null]]);
    const [failed] = answer.body.result?.records ?? [];
    const message =
      'The record has more than 20 users or 4 MiB. Send several records of the principal, which are applied in order.';
    expect(failed?.Item5).toEqual({ Users: [{ code: 'RECORD_TOO_LARGE', message }] });
  });

  it.each(['insert', 'upsert', 'state', 'delete'])('fails in irs/%s', async (operation) => {
    const record = { ExternalKey: unique('C'), Users: users(21) };
    expect(codesOf(await service.call(`irs/${operation}`, [record]))).toEqual(['RECORD_TOO_LARGE']);
  });

  it('fails in a dry run and in a job', async () => {
    const { id } = await insertPrincipal(service, { Denomination: 'Bianchi' });
    const records = [
      { ID: id, Users: users(21) },
      { ID: id, Users: users(1) },
    ];
    expect(codesOf(await service.call('irs/update?dryRun=true', records))).toEqual([
      'RECORD_TOO_LARGE',
      null,
    ]);
    const tuples = await done(service, 'irs/update', records);
    expect(tuples.map(({ Item2 }) => Item2)).toEqual(['RECORD_TOO_LARGE', null]);
  });
});

describe('a record that does not contain more stored users than the limit', () => {
  const large = async (count: number) => {
    const ExternalKey = unique('C');
    const stored = users(count);
    for (const at of [0, 20])
      await upsert(service, [{ ExternalKey, Users: stored.slice(at, at + 20) }], 'missing=keep');
    return { ExternalKey, stored };
  };

  it.each(['disable', 'delete'])('fails with missing=%s, and names the way out', async (missing) => {
    const { ExternalKey } = await large(22);
    const record = { ExternalKey, Users: users(1) };
    const tried = await upsert(service, [record], `missing=${missing}&dryRun=true`);
    expect(codesOf(tried)).toEqual(['RECORD_TOO_LARGE']);
    const answer = await upsert(service, [record], `missing=${missing}`);
    expect(codesOf(answer)).toEqual(['RECORD_TOO_LARGE']);
    const message =
      'The record would disable or delete more than 20 users that it does not contain. Disable or delete them first with irs/state or irs/delete, at most 20 in a record.';
    const [failed] = answer.body.result?.records ?? [];
    expect(failed?.Item5).toEqual({ Users: [{ code: 'RECORD_TOO_LARGE', message }] });
  });

  it('is applied after some of them are disabled, and may delete as many users as the limit', async () => {
    const { ExternalKey, stored } = await large(21);
    const disabled = stored.slice(0, 1).map(({ Username }) => ({ Username, State: 'disabled' }));
    expect(codesOf(await service.call('irs/state', [{ ExternalKey, Users: disabled }]))).toEqual([null]);
    const record = { ExternalKey, Users: [] };
    expect(codesOf(await upsert(service, [record], 'missing=delete'))).toEqual(['RECORD_TOO_LARGE']);
    expect(countsOf(await upsert(service, [record], 'missing=disable'))).toMatchObject({ UsersDisabled: 20 });
    const kept = stored.slice(0, 1).map(({ Username }) => ({ Username }));
    const deletion = await upsert(service, [{ ExternalKey, Users: kept }], 'missing=delete');
    expect(countsOf(deletion)).toMatchObject({ UsersDeleted: 20 });
  });

  it('does not keep a principal from being deleted with all of its users', async () => {
    const { ExternalKey } = await large(22);
    expect(codesOf(await service.call('irs/delete', [{ ExternalKey }]))).toEqual([null]);
  });
});
