import { expect, vi } from 'vitest';
import type { TestService } from './service.ts';

/** Waits until everything that was done has its place in the journal. */
export async function allSealed({ database }: Pick<TestService, 'database'>): Promise<void> {
  const unsealed = 'select id from anagrafe.journal where position is null';
  await vi.waitFor(async () => expect(await database.query(unsealed)).toEqual([]), {
    interval: 50,
    timeout: 20_000,
  });
}
