import { type TSchema, Type } from 'typebox';
import { Text } from '../http/answer-schemas.ts';
import { optional } from '../http/schemas.ts';
import type { FieldDefinition } from './fields.ts';

type Definitions = Readonly<Record<string, FieldDefinition>>;
type Schemas<Table, Schema> = { [Name in keyof Table]: Schema };

/** Returns the schemas of the fields in a request. */
export function requestSchemas<Table extends Definitions>(table: Table) {
  return schemas(table, ({ maxLength }) => optional(Type.String({ minLength: 1, maxLength })));
}

/** Returns the schemas of the fields in an answer. */
export function answerSchemas<Table extends Definitions>(table: Table) {
  return schemas(table, () => Text);
}

/** Returns the schemas of an object that must not have the fields. */
export function absentSchemas<Table extends Definitions>(table: Table) {
  return schemas(table, () => Type.Optional(Type.Null()));
}

function schemas<Table extends Definitions, Schema extends TSchema>(
  table: Table,
  schemaOf: (definition: FieldDefinition) => Schema,
): Schemas<Table, Schema> {
  const entries = Object.entries(table).map(([name, definition]) => [name, schemaOf(definition)]);
  return Object.fromEntries(entries) as Schemas<Table, Schema>;
}
