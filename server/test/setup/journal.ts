import { expect } from 'vitest';
import type { TestService } from './service.ts';

/** Waits until the hash chain covers every audit row. */
export async function allSealed({ database }: Pick<TestService, 'database'>): Promise<void> {
  const unsealed = 'select id from anagrafe.journal where position is null';
  await expect.poll(() => database.query(unsealed)).toEqual([]);
}
