import { noCounts } from '@anagrafe/importer';
import { describe, expect, it } from 'vitest';
import { limitRemovals } from '../../src/cli/sync-run.ts';

/** A planned part of a file that disables and deletes users, of 1,000 stored ones unless given. */
const part = (UsersDisabled: number, UsersDeleted: number, storedUsers = 1000) => ({
  counts: { ...noCounts, UsersDisabled, UsersDeleted },
  storedUsers,
  removing: [{ principal: 'C-1', removals: UsersDisabled + UsersDeleted, storedUsers }],
});

describe('the limit of removals of a sync without a confirmation', () => {
  it('counts the disabled and the deleted users of all parts of the file together', () => {
    expect(() => limitRemovals([part(60, 40), part(60, 40)], 10)).not.toThrow();
    expect(() => limitRemovals([part(60, 40), part(60, 41)], 10)).toThrow(
      /disable or delete 201 of 2,000 users\. With --yes at most 200 are allowed: 10 percent of the users \(ANAGRAFE_MAX_REMOVALS\), but at least 20\. Nothing was applied\./,
    );
  });

  it('counts the users of each principal too, however many users others keep', () => {
    expect(() => limitRemovals([part(10, 10, 90), part(0, 0, 900)], 10)).not.toThrow();
    expect(() => limitRemovals([part(40, 50, 90), part(0, 0, 900)], 10)).toThrow(
      /disable or delete 90 of 90 users of the principal C-1\. With --yes at most 20 are allowed/,
    );
  });

  it('always allows 20 users of the file, and not of each of its parts', () => {
    expect(() => limitRemovals([part(20, 0, 20)], 0)).not.toThrow();
    expect(() => limitRemovals([part(20, 0, 20), part(0, 1, 20)], 0)).toThrow(/21 of 40 users/);
  });
});
