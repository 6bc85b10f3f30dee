import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import {
  changedFields,
  columnText,
  readFieldEdits,
  readFields,
  type UserFields,
  userFields,
} from '../../src/records/fields/fields.ts';

function read(sent: Readonly<Record<string, unknown>>) {
  const errors = new FieldErrors();
  const fields = readFields(sent, userFields, 'Users[0]', errors);
  return { fields, errors: codesOf(errors) };
}

function readEdits(sent: Readonly<Record<string, unknown>>) {
  const errors = new FieldErrors();
  const edits = readFieldEdits(sent, userFields, '', errors);
  return { edits, errors: codesOf(errors) };
}

function codesOf(errors: FieldErrors) {
  return Object.fromEntries(
    [...errors.byPlace].map(([place, found]) => [place, found.map(({ code }) => code)]),
  );
}

const stored: UserFields = {
  Email: 'mario@example.com',
  Phone: null,
  FirstName: 'Mario',
  LastName: 'Rossi',
  Language: 'it',
  Attributes: { Department: 'Sales', Floor: '2' },
};

describe('the language of a user', () => {
  it.each([
    ['it', 'it'],
    ['IT-ch', 'it-CH'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['iw', 'he'],
  ])('is stored in its canonical form: %s becomes %s', (sent, canonical) => {
    expect(read({ Language: sent })).toMatchObject({ fields: { Language: canonical }, errors: {} });
  });

  it.each([
    ['it_IT', 'LANGUAGE_INVALID'],
    ['Italian language', 'LANGUAGE_INVALID'],
    [' it', 'LANGUAGE_INVALID'],
    ['', 'TEXT_EMPTY'],
    [`en-${'abcdefgh-'.repeat(4)}a`, 'TEXT_TOO_LONG'],
    [7, 'WRONG_TYPE'],
    [['it'], 'WRONG_TYPE'],
  ])('is refused if it is %j', (sent, code) => {
    expect(read({ Language: sent })).toMatchObject({
      fields: { Language: null },
      errors: { 'Users[0].Language': [code] },
    });
  });
});

describe('the attributes of a user', () => {
  it('are read as sent, in the order of their names, also under the name __proto__', () => {
    const sent = JSON.parse('{"a.b-c_1":"","__proto__":"x","Department":"\\"Sales\\""}');
    const { fields, errors } = read({ Attributes: sent });
    expect(JSON.stringify(fields.Attributes)).toBe(
      '{"Department":"\\"Sales\\"","__proto__":"x","a.b-c_1":""}',
    );
    expect(errors).toEqual({});
  });

  it('are null if the object has no values', () => {
    expect(read({ Attributes: {} })).toMatchObject({ fields: { Attributes: null }, errors: {} });
    expect(read({ Attributes: { Floor: null } })).toMatchObject({ fields: { Attributes: null }, errors: {} });
  });

  it('can be 20 values of 1,024 bytes each', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`n${at}`, 'è'.repeat(512)]));
    const { fields, errors } = read({ Attributes: many });
    expect(JSON.parse(JSON.stringify(fields.Attributes))).toEqual(many);
    expect(errors).toEqual({});
  });

  it('are refused if there are more than 20', () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`n${at}`, '']));
    expect(read({ Attributes: many }).errors).toEqual({ 'Users[0].Attributes': ['ATTRIBUTES_TOO_MANY'] });
  });

  it.each([
    [{ Floor: 2 }, 'Users[0].Attributes.Floor', 'WRONG_TYPE'],
    [{ Floor: ['2'] }, 'Users[0].Attributes.Floor', 'WRONG_TYPE'],
    [{ Floor: `${'è'.repeat(512)}x` }, 'Users[0].Attributes.Floor', 'ATTRIBUTE_TOO_LONG'],
    [{ Floor: 'a\0b' }, 'Users[0].Attributes.Floor', 'TEXT_CHARACTERS'],
    [{ 'two words': 'x' }, 'Users[0].Attributes', 'ATTRIBUTE_NAME'],
    [{ '': 'x' }, 'Users[0].Attributes', 'ATTRIBUTE_NAME'],
    [{ ['n'.repeat(65)]: 'x' }, 'Users[0].Attributes', 'ATTRIBUTE_NAME'],
    ['Department=Sales', 'Users[0].Attributes', 'WRONG_TYPE'],
    [['Sales'], 'Users[0].Attributes', 'WRONG_TYPE'],
  ])('are refused if they are %j', (sent, place, code) => {
    expect(read({ Attributes: sent })).toMatchObject({
      fields: { Attributes: null },
      errors: { [place]: [code] },
    });
  });
});

describe('the parsed fields of an edit', () => {
  it('do not contain fields that are absent or null', () => {
    expect(readEdits({ Phone: null, Email: 'a@example.com' })).toEqual({
      edits: { Email: 'a@example.com' },
      errors: {},
    });
  });

  it('are null for an empty text, and for attributes without values', () => {
    expect(readEdits({ Phone: '', Language: '', Attributes: '' })).toEqual({
      edits: { Phone: null, Language: null, Attributes: null },
      errors: {},
    });
    for (const Attributes of [{}, { Floor: null }])
      expect(readEdits({ Attributes })).toEqual({ edits: { Attributes: null }, errors: {} });
  });

  it('do not contain invalid fields, each of which has an error', () => {
    expect(readEdits({ Email: 'no address', Phone: ' ', Attributes: { Floor: 2 } })).toEqual({
      edits: {},
      errors: { Email: ['EMAIL_INVALID'], Phone: ['TEXT_EMPTY'], 'Attributes.Floor': ['WRONG_TYPE'] },
    });
  });
});

describe('a comparison of stored and sent fields', () => {
  it('finds no difference in absent fields, equal values and attributes in another order', () => {
    expect(changedFields(userFields, stored, {})).toEqual([]);
    expect(changedFields(userFields, stored, stored)).toEqual([]);
    expect(changedFields(userFields, stored, { Attributes: { Floor: '2', Department: 'Sales' } })).toEqual(
      [],
    );
    expect(changedFields(userFields, stored, { Phone: null })).toEqual([]);
  });

  it.each([
    [{ Email: 'Mario@example.com' }, ['Email']],
    [{ Phone: '1', Email: null }, ['Email', 'Phone']],
    [{ Attributes: null }, ['Attributes']],
    [{ Attributes: { Department: 'Sales' } }, ['Attributes']],
    [{ Attributes: { Department: 'Sales', Floor: '3' } }, ['Attributes']],
    [{ Attributes: { Department: 'Sales', Level: '2' } }, ['Attributes']],
  ])('returns the names of the fields that %j changes', (sent, names) => {
    expect(changedFields(userFields, stored, sent)).toEqual(names);
  });

  it('does not compare an attribute with an inherited property', () => {
    const other = { ...stored, Attributes: JSON.parse('{"constructor":"x"}') };
    expect(changedFields(userFields, other, { Attributes: { toString: 'x' } })).toEqual(['Attributes']);
  });

  it('finds exactly the fields that an edit changes', () => {
    const value = fc.option(fc.constantFrom('a', 'b'), { nil: null });
    const attributes = fc.option(
      fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), fc.constantFrom('1', '2')),
      {
        nil: null,
      },
    );
    const fields = { Email: value, Phone: value, FirstName: value, LastName: value, Language: value };
    const all = fc.record({ ...fields, Attributes: attributes });
    const some = fc.record({ ...fields, Attributes: attributes }, { requiredKeys: [] });
    fc.assert(
      fc.property(all, some, (before, sent) => {
        const after = { ...before, ...sent };
        const changed = changedFields(userFields, before, sent);
        for (const name of Object.keys(userFields) as (keyof UserFields)[]) {
          expect(after[name]).toEqual(sent[name] === undefined ? before[name] : sent[name]);
          const sorted = (fieldValue: unknown) =>
            JSON.stringify(
              fieldValue && typeof fieldValue === 'object' ? Object.entries(fieldValue).sort() : fieldValue,
            );
          expect(changed.includes(name)).toBe(sorted(before[name]) !== sorted(after[name]));
        }
      }),
    );
  });
});

describe('the text of a value in a CSV column', () => {
  it('is the value itself, or JSON for attributes', () => {
    expect(columnText(null)).toBeNull();
    expect(columnText('Mario')).toBe('Mario');
    expect(columnText({ Department: 'Sales' })).toBe('{"Department":"Sales"}');
  });
});
