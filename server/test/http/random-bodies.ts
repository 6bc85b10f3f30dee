import { anyCharacter } from '@anagrafe/testing/random';
import fc from 'fast-check';

/** A request body in bytes, which need not be valid JSON, and the path to send it to. */
export interface Sample {
  readonly path: 'irs/update' | 'irs/insert';
  readonly bytes: Buffer;
}

export interface World {
  readonly principals: readonly number[];
  readonly users: readonly { readonly id: number; readonly principal: number }[];
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const password = 'correct horse battery';
/** The PasswordHash of registrations without a password. */
const importedHash =
  '$argon2id$v=19$m=19456,t=2,p=1$CqOfHVGu8pKzbuzT1e5sSg$6P5/K53uTZ2VFJHWXSLCTSsFTaua2cV0pms0+N12AHM';
/** Most users have a PasswordHash, because the service need not hash it. */
const secret = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ Password: password, ConfirmPassword: password }) },
  { weight: 5, arbitrary: fc.constant({ PasswordHash: importedHash }) },
);
/** Duplicates are rare, and the tests must handle them. */
const name = fc.integer({ min: 0, max: 2 ** 31 - 1 }).map((n) => `Name ${n.toString(36)}`);
const path = fc.constantFrom('irs/update' as const, 'irs/insert' as const);

const names = [
  'ID',
  'Users',
  'Username',
  'Email',
  'Password',
  'ConfirmPassword',
  'PasswordHash',
  'ExternalKey',
  'Surname',
];
const oddNames = ['__proto__', 'constructor', 'users', 'id', '', '\0', 'toString', 'Extra', '0'];

const oddText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\u202e',
    'ﬀ',
    'ß',
    'İ',
    '\ufeff',
    '1',
    'null',
    '\u0301',
    'x'.repeat(300),
  ),
  fc.integer({ min: 100, max: 20_000 }).map((length) => 'y'.repeat(length)),
);

const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 53, 2 ** 53 - 1, 2 ** 63, 1e300, 1e-300, Number.MAX_VALUE),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, [], {}, [null], [[]], [{}]),
  oddNumber,
  oddText,
);

const tree: fc.Arbitrary<Json> = fc.letrec<{ value: Json; object: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    leaf,
    tie('object'),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
  object: fc.dictionary(fc.constantFrom(...names, ...oddNames), tie('value'), { maxKeys: 5 }),
})).value;

/** Generates arbitrary JSON, mostly arrays, because the service refuses any other body before it reads records. */
const anyJson = fc
  .oneof({ weight: 1, arbitrary: tree }, { weight: 4, arbitrary: fc.array(tree, { maxLength: 4 }) })
  .map((value) => JSON.stringify(value));

/** Generates valid records. */
function soundRecords(world: World): fc.Arbitrary<Json[]> {
  const registration = fc
    .record({
      Username: name,
      secret,
      email: fc.constantFrom<Json>(null, 'a@example.it'),
      given: fc.boolean(),
    })
    .map(
      ({ Username, secret: own, email, given }): Json => ({
        Username,
        ...own,
        ...(given && { Email: email }),
      }),
    );
  const reset = (principal: number) => {
    const own = world.users.filter((user) => user.principal === principal).map((user) => user.id);
    return fc.constantFrom(...own).map((ID): Json => ({ ID, Password: password, ConfirmPassword: password }));
  };
  const record = fc.constantFrom(...world.principals).chain((ID) =>
    fc
      .array(fc.oneof({ weight: 9, arbitrary: registration }, { weight: 1, arbitrary: reset(ID) }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((Users): Json => ({ ID, Users })),
  );
  const principal = fc
    .record({ Users: fc.array(registration, { maxLength: 2 }), ExternalKey: fc.option(name) })
    .map((fields): Json => ({ Surname: 'Rossi', ...fields }));
  return fc.array(fc.oneof({ weight: 4, arbitrary: record }, { weight: 1, arbitrary: principal }), {
    minLength: 1,
    maxLength: 2,
  });
}

/** A mutation of one value inside a body. */
type Spoil = (value: Json) => Json;

const spoil: fc.Arbitrary<Spoil> = fc.oneof(
  leaf.map(
    (value): Spoil =>
      () =>
        value,
  ),
  tree.map(
    (value): Spoil =>
      () =>
        value,
  ),
  fc.constant<Spoil>((value) => [value]),
  fc.constant<Spoil>((value) => ({ value })),
  fc.constant<Spoil>((value) => (typeof value === 'number' ? String(value) : value === null ? 0 : null)),
  fc.constantFrom(...names, ...oddNames).chain((name) =>
    leaf.map(
      (value): Spoil =>
        (target) =>
          isObject(target) ? { ...target, [name]: value } : value,
    ),
  ),
  fc.constantFrom(...names).map(
    (name): Spoil =>
      (target) => {
        if (!isObject(target)) return target;
        const { [name]: _, ...rest } = target;
        return rest;
      },
  ),
  fc.constant<Spoil>((value) => (Array.isArray(value) ? [...value, ...value] : value)),
  fc.constant<Spoil>((value) => (Array.isArray(value) ? [] : value)),
);

/** Applies a mutation to the value at the end of `steps`: each step selects a child by its index, modulo their number. */
function spoilAt(value: Json, steps: readonly number[], change: Spoil): Json {
  const [step, ...rest] = steps;
  if (step === undefined || value === null || typeof value !== 'object') return change(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return change(value);
    const at = step % value.length;
    return value.map((item, index) => (index === at ? spoilAt(item, rest, change) : item));
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return change(value);
  const at = step % entries.length;
  return Object.fromEntries(
    entries.map(([name, item], index) => [name, index === at ? spoilAt(item, rest, change) : item]),
  );
}

const steps = fc.array(fc.nat(30), { minLength: 0, maxLength: 5 });

function spoiltRecords(world: World): fc.Arbitrary<string> {
  return fc
    .tuple(soundRecords(world), fc.array(fc.tuple(steps, spoil), { minLength: 3, maxLength: 6 }))
    .map(([records, changes]) => {
      let body: Json = records;
      for (const [way, change] of changes) body = spoilAt(body, way, change);
      return JSON.stringify(body);
    });
}

/** A mutation of the JSON text: the offset, the number of characters to remove there, and the text to insert. */
const cut = fc.tuple(
  fc.nat(),
  fc.nat(40),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\\u',
    '\\ud800',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\0',
    '\ufeff',
    '1e999',
    '-',
    '//',
    '"ID":1,',
  ),
);

function spoiltText(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(text, fc.array(cut, { minLength: 1, maxLength: 3 }), fc.option(fc.nat(255)))
    .map(([whole, cuts, byte]) => {
      let result = whole;
      for (const [at, length, put] of cuts) {
        const start = at % (result.length + 1);
        result = result.slice(0, start) + put + result.slice(start + length);
      }
      const bytes = Buffer.from(result);
      if (byte !== null && bytes.length > 0) bytes[(byte * 31) % bytes.length] = byte;
      return bytes;
    });
}

const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));

/** Generates request bodies, most of them invalid and about one in 100 valid. */
export function samples(world: World): fc.Arbitrary<Sample> {
  const bytes = fc.oneof(
    { weight: 30, arbitrary: anyJson.map((text) => Buffer.from(text)) },
    { weight: 36, arbitrary: spoiltRecords(world).map((text) => Buffer.from(text)) },
    { weight: 10, arbitrary: noise },
    { weight: 23, arbitrary: spoiltText(soundRecords(world).map((body) => JSON.stringify(body))) },
    { weight: 1, arbitrary: soundRecords(world).map((body) => Buffer.from(JSON.stringify(body))) },
  );
  return fc.record({ path, bytes });
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
