import { describe, expect, it } from 'vitest';
import { admitEarly } from '../../src/calls/early-refusal.ts';
import { ApiError } from '../../src/lib/field-errors.ts';
import type { Demand } from '../../src/passwords/hash-reservation.ts';

/** Admits a body, and returns the result with the demands that the hasher received. */
function admit(body: string, refusal?: Error) {
  const demands: Demand[] = [];
  const reserve = (share: string, since?: number) => {
    expect([share, since]).toEqual(['7', 5]);
    return {
      admit(demand: Demand) {
        demands.push(demand);
        if (refusal) throw refusal;
      },
      release: () => {},
      hash: async () => '',
    };
  };
  return {
    result: admitEarly({ body: Buffer.from(body), clientId: 7, waitsSince: 5 }, { reserve }),
    demands,
  };
}

const withUsers = (...users: unknown[]) => JSON.stringify([{ ID: 1, Users: users }]);

describe('the early admission of a call', () => {
  it('counts the passwords in plaintext of all records', () => {
    const user = { Username: 'a', Password: 'x' };
    expect(admit(withUsers(user)).demands).toEqual([{ lane: 'interactive', count: 1 }]);
    expect(admit(withUsers(user, { PasswordHash: 'x' }, user)).demands).toEqual([{ lane: 'bulk', count: 2 }]);
    const two = JSON.stringify([{ Users: [user] }, {}, { Users: [user, null] }]);
    expect(admit(two).demands).toEqual([{ lane: 'bulk', count: 2 }]);
  });

  it('reserves nothing for a call without passwords, and for a body that is no array of objects', () => {
    const bodies = ['', '[', '{}', '[]', '[1]', '[null]', '[[{"Password":"x"}]]', '{"Password":"x"}'];
    const users = [
      {},
      { Password: null },
      { Password: '' },
      { Password: 1 },
      { PasswordHash: 'x' },
      'Password',
    ];
    for (const body of [...bodies, ...users.map((user) => withUsers(user))])
      expect(admit(body)).toEqual({ result: null, demands: [] });
  });

  it('returns the refusal, and throws any other error', () => {
    const refusal = new ApiError('OVERLOADED');
    expect(admit(withUsers({ Password: 'x' }), refusal).result).toBe(refusal);
    expect(() => admit(withUsers({ Password: 'x' }), new Error('defect'))).toThrow('defect');
  });
});
