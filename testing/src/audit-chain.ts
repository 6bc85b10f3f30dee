import type { TestService } from './service.ts';
import { until } from './until.ts';

/** Waits until the hash chain covers every audit row. */
export async function allHashed({ database }: Pick<TestService, 'database'>): Promise<void> {
  const unchained = 'select id from anagrafe.audit_log where position is null';
  await until(
    async () => (await database.query(unchained)).length === 0,
    () => 'the hash chain to cover every audit row',
  );
}
