import { expect } from 'vitest';
import type { TestService } from './service.ts';

/** Waits until everything that was done has its place in the journal. */
export async function allSealed({ database }: Pick<TestService, 'database'>): Promise<void> {
  await expect
    .poll(() => database.query('select id from anagrafe.journal where position is null'), { interval: 50 })
    .toEqual([]);
}
