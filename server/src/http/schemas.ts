import {
  type Static,
  type TNull,
  type TObject,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
} from 'typebox';
import { orders } from '../db/paging.ts';
import { readDate } from '../lib/dates.ts';
import type { CodeWithOneText, Variant } from '../lib/error-codes.ts';

/** The definitions that schemas refer to by name, keyed as in `$ref`: `Scope#`. */
export const definitions: Record<string, TSchema> = {};

/** Adds a schema to the OpenAPI document once, under a name, and returns a reference to it. */
export function named<Schema extends TSchema>(name: string, schema: Schema): TUnsafe<Static<Schema>> {
  definitions[`${name}#`] = schema;
  return Type.Unsafe({ $ref: `${name}#` });
}

export function strictObject<Properties extends Record<string, TSchema>>(
  properties: Properties,
  more: Record<string, unknown> = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...more });
}

export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A field of a body that may be absent. Null counts as absent. */
export function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(nullable(schema));
}

/**
 * Makes a parameter with a `default` optional in the document. Its type has no `undefined`, because the validator
 * passes the default to the handler.
 */
export function defaulted<Schema extends TSchema>(schema: Schema): Schema {
  return Type.Optional(schema) as unknown as Schema;
}

export function oneOf<const Values extends readonly string[]>(
  values: Values,
  more: Record<string, unknown> = {},
): TUnsafe<Values[number]> {
  return Type.Unsafe({ type: 'string', enum: [...values], ...more });
}

/** Adds a rule that JSON Schema cannot express; `variant` is that of the message. */
export function refined<Schema extends TSchema>(
  schema: Schema,
  isValid: (value: Static<Schema>) => boolean,
  variant: Variant<'INVALID_PARAMETER'>,
) {
  return Type.Refine(schema, isValid, () => variant);
}

/** A name, password, key or token that a request authenticates with. No valid one is longer. */
export function credential(more: Record<string, unknown> = {}) {
  return Type.String({ minLength: 1, maxLength: 4096, ...more });
}

export const notFoundCode = Symbol('notFoundCode');

/** The parameters of a path. A path with invalid parameters names nothing that exists, and is answered with `code`. */
export function pathOf<Properties extends Record<string, TSchema>>(
  code: CodeWithOneText,
  properties: Properties,
) {
  return Type.Object(properties, { [notFoundCode]: code });
}

/** Marks a text schema whose lengths are those of the NFC form of the text. */
export const lengthOfNfc = Symbol('lengthOfNfc');

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const Uuid = Type.String({ format: 'uuid' });
export const State = named('State', oneOf(['active', 'disabled']));
export const Operation = named(
  'Operation',
  oneOf(['update', 'insert', 'state', 'upsert', 'delete', 'merge', 'undo', 'invite']),
);

export const debug = {
  debug: Type.Optional(Type.Boolean({ description: 'Fills `debug` of the answer.' })),
};
export const paging = {
  page: defaulted(
    Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Page number, from 1.' }),
  ),
  pageSize: defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: 'Maximum number of elements per page.',
    }),
  ),
};
export const order = {
  order: defaulted(oneOf(orders, { default: 'oldest', description: 'Sort order.' })),
};

/** A time as a filter. `readDate` reads it. */
export function dateText(description: string) {
  const text = Type.String({ description: `${description} Without a zone it is UTC.` });
  return refined(text, (value) => readDate(value) !== null, 'date');
}

export const CallQuery = Type.Object(debug);
export const PageQuery = Type.Object({ ...paging, ...debug });

export function flag(description: string) {
  return Type.Optional(Type.Boolean({ description }));
}

export const language = {
  'Accept-Language': Type.Optional(Type.String({ description: 'Language of the messages: `en` or `it`.' })),
};
export const CallHeaders = Type.Object(language);
