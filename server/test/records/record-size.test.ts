import { describe, expect, it } from 'vitest';
import { done, importedUser } from '../setup/jobs.ts';
import { codesOf, insertPrincipal, range, unique } from '../setup/records.ts';
import { startTestService } from '../setup/service.ts';

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
