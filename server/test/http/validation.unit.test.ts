import Fastify from 'fastify';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import {
  defaulted,
  named,
  nullable,
  oneOf,
  optional,
  pathOf,
  refined,
  strictObject,
} from '../../src/http/schemas.ts';
import { compileRequestSchema, validateQueries } from '../../src/http/validation.ts';
import type { ApiError } from '../../src/lib/field-errors.ts';
import { translate } from '../../src/lib/translate.ts';

/** Returns a function that gives the converted value, or the code and the English message of the error. */
function validatorOf(schema: unknown, httpPart: 'body' | 'querystring' | 'params') {
  const validate = compileRequestSchema({ schema, method: 'POST', url: '/', httpPart });
  return (input: unknown) => {
    const result = validate(input) as { error?: ApiError; value?: object };
    return result.error
      ? `${result.error.detail.code}: ${translate(result.error.detail, 'en')}`
      : result.value;
  };
}

const Colour = named('TestColour', oneOf(['red', 'green']));
const body = validatorOf(
  strictObject({
    Name: Type.String({ minLength: 1, maxLength: 5 }),
    Count: defaulted(nullable(Type.Integer({ minimum: 1, maximum: 9, default: 3 }))),
    Enabled: optional(Type.Boolean()),
    Colours: optional(Type.Array(Colour, { minItems: 1 })),
    Even: optional(
      refined(Type.Array(Type.String(), { maxItems: 4 }), (list) => list.length % 2 === 0, 'networks'),
    ),
  }),
  'body',
);

describe('the validation of a body', () => {
  it('passes the fields on, with the default of an absent one', () => {
    expect(body({ Name: 'x' })).toEqual({ Name: 'x', Count: 3 });
    expect(body({ Name: '🦊🦊🦊🦊🦊', Count: 9, Enabled: false, Colours: ['red'], Even: [] })).toEqual({
      Name: '🦊🦊🦊🦊🦊',
      Count: 9,
      Enabled: false,
      Colours: ['red'],
      Even: [],
    });
  });

  it('treats null as absent, in unknown fields too', () => {
    expect(body({ Name: 'x', Count: null, Enabled: null, Other: null })).toEqual({ Name: 'x', Count: 3 });
  });

  it.each([
    [{}, '"Name" must be a string of 1 to 5 characters.'],
    [{ Name: null }, '"Name" must be a string of 1 to 5 characters.'],
    [{ Name: '' }, '"Name" must be a string of 1 to 5 characters.'],
    [{ Name: 'x', Count: 0 }, '"Count" must be an integer from 1 to 9.'],
    [{ Name: 'x', Count: '3' }, '"Count" must be an integer from 1 to 9.'],
    [{ Name: 'x', Enabled: 'true' }, '"Enabled" must be true or false.'],
    [{ Name: 'x', Colours: [] }, '"Colours" must be an array with at least one of these values: red, green.'],
    [
      { Name: 'x', Colours: ['blue'] },
      '"Colours" must be an array with at least one of these values: red, green.',
    ],
    [
      { Name: 'x', Even: ['a'] },
      '"Even" must be an array of up to 4 IP addresses or networks, such as 10.0.0.0/8.',
    ],
    [{ Name: 'x', name: 1 }, 'Unknown parameter "name". Did you mean "Name"?'],
  ])('describes what a field accepts: %j', (input, message) => {
    expect(body(input)).toBe(`INVALID_PARAMETER: ${message}`);
  });

  it('reports an unknown field before an invalid one, and invalid fields in the order of the schema', () => {
    expect(body({ Count: 0, Name: '', Other: 1 })).toContain('"Other"');
    expect(body({ Count: 0, Name: '' })).toContain('"Name"');
    expect(body({ Enabled: 1, Count: 0, Name: 'x' })).toContain('"Count"');
  });

  it('refuses everything that is not an object', () => {
    for (const input of [null, [], [{}], 'x', 7, true]) expect(body(input)).toMatch(/^INVALID_BODY: /);
  });

  it('treats the names of the object prototype as unknown', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(body(JSON.parse(`{"Name":"x","${name}":1}`))).toBe(
        `INVALID_PARAMETER: Unknown parameter "${name}".`,
      );
  });

  it('stops at the first invalid element of a long list', () => {
    let read = 0;
    const list = new Proxy(Array(100_000).fill('red'), {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) read++;
        return key === '5' ? 'blue' : Reflect.get(target, key);
      },
    });
    expect(body({ Name: 'x', Colours: list })).toContain('"Colours"');
    expect(read).toBe(6);
  });

  it('leaves the records of a bulk call to their reader', () => {
    const validate = compileRequestSchema({
      schema: Type.Array(Type.Object({})),
      method: 'POST',
      url: '/',
      httpPart: 'body',
    });
    expect(validate('anything')).toBe(true);
  });

  it('allows an array only as the body of a bulk call', async () => {
    const app = Fastify();
    app.setValidatorCompiler(compileRequestSchema);
    validateQueries(app);
    const schema = { querystring: Type.Object({}), body: Type.Array(Type.Object({})) };
    expect(() => app.post('/records', { schema, config: { records: true } }, async () => null)).not.toThrow();
    expect(() => app.post('/list', { schema }, async () => null)).toThrow('POST /list');
    await app.close();
  });
});

describe('the validation of a query', () => {
  const query = validatorOf(
    Type.Object({
      page: defaulted(Type.Integer({ minimum: 1, maximum: 50, default: 1 })),
      failed: Type.Optional(Type.Boolean()),
      order: defaulted(oneOf(['oldest', 'newest'], { default: 'oldest' })),
    }),
    'querystring',
  );

  it('converts text to numbers and flags', () => {
    expect(query({ page: '07', failed: 'true', order: 'newest' })).toEqual({
      page: 7,
      failed: true,
      order: 'newest',
    });
    expect(query({})).toEqual({ page: 1, order: 'oldest' });
  });

  it('accepts what it has converted', () => {
    expect(query(query({ page: '7', failed: 'false' }))).toEqual({ page: 7, failed: false, order: 'oldest' });
  });

  it.each(['', ' 1', '+1', '1.0', '1e1', '0x1', '51', '9'.repeat(30)])('refuses %j as a number', (page) => {
    expect(query({ page })).toBe('INVALID_PARAMETER: "page" must be an integer from 1 to 50.');
  });

  it('refuses a parameter that is sent twice', () => {
    for (const input of [{ page: ['1', '1'] }, { failed: ['true', 'true'] }, { order: ['oldest', 'oldest'] }])
      expect(query(input)).toMatch(/^INVALID_PARAMETER: /);
  });
});

describe('the validation of a path', () => {
  const path = validatorOf(
    pathOf('JOB_NOT_FOUND', { id: Type.Integer({ minimum: 1 }), part: Type.String({ format: 'uuid' }) }),
    'params',
  );
  const part = 'ABCDEF00-0000-0000-0000-000000000000';

  it('converts its numbers', () => {
    expect(path({ id: '12', part })).toEqual({ id: 12, part });
  });

  it('answers an invalid path with the code of the schema', () => {
    for (const input of [
      { id: '0', part },
      { id: 'x', part },
      { id: '1', part: 'x' },
    ])
      expect(path(input)).toMatch(/^JOB_NOT_FOUND: /);
  });
});
