import { describe, expect, it } from 'vitest';
import type { Code } from '../../src/core/codes.ts';
import { Faults } from '../../src/core/faults.ts';
import { refuseUnknownFields } from '../../src/core/fields/fields.ts';
import { applied, refused } from '../../src/core/records/outcome.ts';

function draftWith(...found: [place: string, code: Code][]) {
  const faults = new Faults();
  for (const [place, code] of found) faults.add(place, code);
  return { sentId: 7, users: [], faults };
}

function codeOf(...found: [place: string, code: Code][]): Code | undefined {
  return refused(draftWith(...found)).refusal?.code;
}

describe('the code that stands for the faults of a record', () => {
  it('is PRINCIPAL_NOT_FOUND above all others', () => {
    expect(codeOf(['ID', 'PRINCIPAL_NOT_FOUND'])).toBe('PRINCIPAL_NOT_FOUND');
    expect(codeOf(['Users[0].ID', 'USER_NOT_FOUND'], ['ID', 'PRINCIPAL_NOT_FOUND'])).toBe(
      'PRINCIPAL_NOT_FOUND',
    );
    expect(codeOf(['Extra', 'UNKNOWN_FIELD'], ['ID', 'PRINCIPAL_NOT_FOUND'])).toBe('PRINCIPAL_NOT_FOUND');
  });

  it('is the code of a record that all its faults share', () => {
    expect(codeOf(['Users[0].Username', 'USERNAME_TAKEN'], ['Users[4].Username', 'USERNAME_TAKEN'])).toBe(
      'USERNAME_TAKEN',
    );
    expect(codeOf(['Users[0].ID', 'USER_NOT_FOUND'])).toBe('USER_NOT_FOUND');
    expect(codeOf(['ExternalKey', 'EXTERNAL_KEY_TAKEN'])).toBe('EXTERNAL_KEY_TAKEN');
  });

  it('is INVALID_USERS when only users have faults, of whatever kind', () => {
    expect(codeOf(['Users', 'REQUIRED'])).toBe('INVALID_USERS');
    expect(codeOf(['Users[0]', 'WRONG_TYPE'])).toBe('INVALID_USERS');
    expect(codeOf(['Users[0].Password', 'REQUIRED'], ['Users[1].Username', 'USERNAME_TAKEN'])).toBe(
      'INVALID_USERS',
    );
  });

  it('is INVALID_RECORD when the record itself has faults too', () => {
    expect(codeOf(['ID', 'REQUIRED'])).toBe('INVALID_RECORD');
    expect(codeOf(['ID', 'INVALID_ID'], ['Users[0].Password', 'REQUIRED'])).toBe('INVALID_RECORD');
    expect(codeOf(['UsersCount', 'UNKNOWN_FIELD'])).toBe('INVALID_RECORD');
    expect(codeOf(['Users.Extra', 'UNKNOWN_FIELD'], ['Name', 'TEXT_EMPTY'])).toBe('INVALID_RECORD');
  });
});

describe('an outcome', () => {
  it('keeps the ID that was sent when the record is refused', () => {
    expect(refused(draftWith(['Users', 'REQUIRED']))).toMatchObject({ id: 7, users: [] });
  });

  it('may be refused for a reason beside its faults', () => {
    expect(refused(draftWith(), { code: 'OUTCOME_UNKNOWN' }).refusal).toEqual({ code: 'OUTCOME_UNKNOWN' });
  });

  it('has the ID of what was written and no refusal when it is applied', () => {
    const users = [{ id: 1, username: 'mario', email: null, operation: 'register' }] as const;
    expect(applied(9, users, draftWith())).toMatchObject({ id: 9, refusal: null, users });
  });
});

describe('the errors of a record beyond those that are listed', () => {
  const more = (faults: Faults) => faults.byPlace.get('$');

  it('errors that are not listed are counted once for each place, however many errors a place has', () => {
    const faults = new Faults(1);
    faults.add('Users[0].Username', 'REQUIRED');
    faults.add('Users[0].Password', 'PASSWORD_TOO_SHORT');
    faults.add('Users[0].Password', 'PASSWORD_IS_USERNAME');
    faults.add('Users[1].Password', 'PASSWORD_TOO_SHORT');
    expect([...faults.byPlace.keys()]).toEqual(['Users[0].Username', '$']);
    expect(more(faults)).toEqual([{ code: 'MORE_ERRORS', figures: { count: 2 } }]);
  });

  it('errors that are not listed still decide the code of the record', () => {
    const faults = new Faults(1);
    faults.add('Users[0].Username', 'REQUIRED');
    expect(faults.ofUsersAlone).toBe(true);
    faults.add('ID', 'PRINCIPAL_NOT_FOUND', undefined, 'id');
    faults.add('Denomination', 'REQUIRED');
    expect(faults.ofUsersAlone).toBe(false);
    expect([...faults.firstOfKind.keys()]).toEqual(['REQUIRED', 'PRINCIPAL_NOT_FOUND']);
  });

  it('errors that are not listed do not replace an error at a field that the caller named "$"', () => {
    const faults = new Faults(1);
    refuseUnknownFields({ $: 1, other: 2 }, [], '', faults);
    expect([...faults.byPlace.keys()]).toEqual(['["$"]', '$']);
    expect(more(faults)).toEqual([{ code: 'MORE_ERRORS', figures: { count: 1 } }]);
  });
});

describe('faults', () => {
  it('are kept by place, in the order found', () => {
    const { faults } = draftWith(['B', 'REQUIRED'], ['A', 'REQUIRED'], ['B', 'WRONG_TYPE']);
    expect([...faults.byPlace.keys()]).toEqual(['B', 'A']);
    expect(faults.byPlace.get('B')).toEqual([{ code: 'REQUIRED' }, { code: 'WRONG_TYPE' }]);
    expect(faults.none).toBe(false);
    expect(new Faults().none).toBe(true);
  });
});
