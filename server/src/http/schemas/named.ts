import { type TSchema, Type } from 'typebox';

/**
 * The JSON Schemas of the OpenAPI document. They do not validate requests: the parser of the records reports every
 * field error of every record with its path, which a schema validator cannot.
 */
export const namedSchemas: TSchema[] = [];

/** Adds a schema to the document once, under a name, and returns a reference to it. */
export function named(name: string, schema: TSchema): TSchema {
  namedSchemas.push({ $id: name, ...schema });
  return Type.Unsafe({ $ref: `${name}#` });
}

/** Adds an example to a named schema. Uses `allOf`, because the document drops keywords next to a bare `$ref`. */
export function example(schema: TSchema, value: unknown): TSchema {
  return Type.Unsafe({ allOf: [schema], examples: [value] });
}

/** Returns an object schema without additional properties. */
export function strictObject(
  properties: Record<string, TSchema>,
  more: Record<string, unknown> = {},
): TSchema {
  return Type.Object(properties, { additionalProperties: false, ...more });
}

export function nullable(schema: TSchema): TSchema {
  return Type.Union([schema, Type.Null()]);
}

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const State = named('State', Type.String({ enum: ['active', 'disabled'] }));
export const Operation = named('Operation', Type.String({ enum: ['update', 'insert', 'state'] }));
