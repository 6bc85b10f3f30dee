import { type TSchema, Type } from 'typebox';

/**
 * The wire in the words of JSON Schema, for the OpenAPI document and its readers. Requests are not checked against
 * these: the core finds every fault of every record by place, which a schema validator cannot.
 */
export const namedSchemas: TSchema[] = [];

/** Puts a schema into the document once, under a name, and gives a reference to it. */
export function named(name: string, schema: TSchema): TSchema {
  namedSchemas.push({ $id: name, ...schema });
  return Type.Unsafe({ $ref: `${name}#` });
}

/** A body by its name, with an example. What stands beside a bare reference is not taken into the document. */
export function example(schema: TSchema, value: unknown): TSchema {
  return Type.Unsafe({ allOf: [schema], examples: [value] });
}

/** An object with these fields and no others. */
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
