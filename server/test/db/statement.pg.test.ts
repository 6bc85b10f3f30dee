import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, expect, it } from 'vitest';
import { selectByKeys } from '../../src/db/statement.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.database.query(
    `insert into anagrafe.principals (external_key, search_terms)
     select 'stored-' || n, '' from generate_series(1, 20000) as n`,
  );
});

it('a statement with 1,000 values finds their rows among 20,000 by the index', async () => {
  const keys = Array.from({ length: 1000 }, (_, n) => `stored-${2 * n + 1}`);
  const planOf = async (sql: string) =>
    JSON.stringify(await service.database.query(`explain (format json) ${sql}`, [keys]));
  const sql = selectByKeys('external_key, id', 'principals', 'external_key', 'text');
  const plan = await planOf(sql);
  expect(plan).toContain('principals_external_key_key');
  expect(plan).not.toContain('Seq Scan');
  const found = await service.database.query<{ external_key: string }>(sql, [keys]);
  expect(found.map((row) => row.external_key).toSorted()).toEqual(keys.toSorted());
});
