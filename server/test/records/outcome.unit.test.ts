import { describe, expect, it } from 'vitest';
import type { Code, ErrorDetail } from '../../src/lib/error-codes.ts';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import { refuseUnknownFields } from '../../src/lib/request-fields.ts';
import { refused } from '../../src/records/write/outcome.ts';

function parsedRecordWith(...found: [place: string, code: Code][]) {
  const errors = new FieldErrors();
  for (const [place, code] of found) errors.put(place, { code } as ErrorDetail);
  return { sentId: 7, externalKey: null, errors };
}

function codeOf(...found: [place: string, code: Code][]): Code | undefined {
  return refused(parsedRecordWith(...found)).error?.code;
}

describe('the code of a record with field errors', () => {
  it('is PRINCIPAL_NOT_FOUND if any error has that code', () => {
    expect(codeOf(['ID', 'PRINCIPAL_NOT_FOUND'])).toBe('PRINCIPAL_NOT_FOUND');
    expect(codeOf(['Users[0].ID', 'USER_NOT_FOUND'], ['ID', 'PRINCIPAL_NOT_FOUND'])).toBe(
      'PRINCIPAL_NOT_FOUND',
    );
    expect(codeOf(['Extra', 'UNKNOWN_FIELD'], ['ID', 'PRINCIPAL_NOT_FOUND'])).toBe('PRINCIPAL_NOT_FOUND');
  });

  it('is the record-level code that all of its errors share', () => {
    expect(codeOf(['Users[0].Username', 'USERNAME_TAKEN'], ['Users[4].Username', 'USERNAME_TAKEN'])).toBe(
      'USERNAME_TAKEN',
    );
    expect(codeOf(['Users[0].ID', 'USER_NOT_FOUND'])).toBe('USER_NOT_FOUND');
    expect(codeOf(['ExternalKey', 'EXTERNAL_KEY_TAKEN'])).toBe('EXTERNAL_KEY_TAKEN');
  });

  it('is INVALID_USERS if only users have errors', () => {
    expect(codeOf(['Users', 'REQUIRED'])).toBe('INVALID_USERS');
    expect(codeOf(['Users[0]', 'WRONG_TYPE'])).toBe('INVALID_USERS');
    expect(codeOf(['Users[0].Password', 'REQUIRED'], ['Users[1].Username', 'USERNAME_TAKEN'])).toBe(
      'INVALID_USERS',
    );
  });

  it('is INVALID_RECORD if the record itself has errors', () => {
    expect(codeOf(['ID', 'REQUIRED'])).toBe('INVALID_RECORD');
    expect(codeOf(['ID', 'INVALID_ID'], ['Users[0].Password', 'REQUIRED'])).toBe('INVALID_RECORD');
    expect(codeOf(['UsersCount', 'UNKNOWN_FIELD'])).toBe('INVALID_RECORD');
    expect(codeOf(['Users.Extra', 'UNKNOWN_FIELD'], ['Name', 'TEXT_EMPTY'])).toBe('INVALID_RECORD');
  });
});

describe('an outcome', () => {
  it('has the ID that was sent if the record is refused', () => {
    expect(refused(parsedRecordWith(['Users', 'REQUIRED']))).toMatchObject({ id: 7, users: [] });
  });

  it('may have a code that is independent of field errors', () => {
    expect(refused(parsedRecordWith(), { code: 'OUTCOME_UNKNOWN' }).error).toEqual({
      code: 'OUTCOME_UNKNOWN',
    });
  });
});

describe('the errors of a record above the limit', () => {
  const more = (errors: FieldErrors) => errors.byPlace.get('$');

  it('are counted once per place, even if a place has several errors', () => {
    const errors = new FieldErrors(1);
    errors.addMissing('Users[0].Username');
    errors.add('Users[0].Password', 'PASSWORD_TOO_SHORT');
    errors.add('Users[0].Password', 'PASSWORD_IS_USERNAME');
    errors.add('Users[1].Password', 'PASSWORD_TOO_SHORT');
    expect([...errors.byPlace.keys()]).toEqual(['Users[0].Username', '$']);
    expect(more(errors)).toEqual([{ code: 'MORE_ERRORS', figures: { count: 2 } }]);
  });

  it('are counted in a list of their own: one that was read before stays unchanged', () => {
    const errors = new FieldErrors(1);
    for (const place of ['Users[0]', 'Users[1]']) errors.addMissing(place);
    const before = more(errors);
    errors.addMissing('Users[2]');
    expect([before, more(errors)]).toEqual(
      [1, 2].map((count) => [{ code: 'MORE_ERRORS', figures: { count } }]),
    );
  });

  it('still determine the code of the record', () => {
    const errors = new FieldErrors(1);
    errors.addMissing('Users[0].Username');
    expect(errors.onlyInUsers).toBe(true);
    errors.add('ID', 'PRINCIPAL_NOT_FOUND', { variant: 'id' });
    errors.addMissing('Denomination');
    expect(errors.onlyInUsers).toBe(false);
    expect([...errors.firstOfKind.keys()]).toEqual(['REQUIRED', 'PRINCIPAL_NOT_FOUND']);
  });

  it('do not replace an error at a field that the caller named "$"', () => {
    const errors = new FieldErrors(1);
    refuseUnknownFields({ $: 1, other: 2 }, [], '', errors);
    expect([...errors.byPlace.keys()]).toEqual(['["$"]', '$']);
    expect(more(errors)).toEqual([{ code: 'MORE_ERRORS', figures: { count: 1 } }]);
  });
});

describe('field errors', () => {
  it('are grouped by place, in the order of the first error of each place', () => {
    const { errors } = parsedRecordWith(['B', 'REQUIRED'], ['A', 'REQUIRED'], ['B', 'WRONG_TYPE']);
    expect([...errors.byPlace.keys()]).toEqual(['B', 'A']);
    expect(errors.byPlace.get('B')).toEqual([{ code: 'REQUIRED' }, { code: 'WRONG_TYPE' }]);
    expect(errors.none).toBe(false);
    expect(new FieldErrors().none).toBe(true);
  });
});
