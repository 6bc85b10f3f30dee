import { type TSchema, Type } from 'typebox';
import { Text } from '../../http/answer-schemas.ts';
import { named, nullable, optional } from '../../http/schemas.ts';
import { tagPattern, tagsMax } from '../../lib/tags.ts';
import { attributesMax } from './field-formats.ts';
import { type FieldDefinition, principalFields, userFields } from './fields.ts';

type Definitions = Readonly<Record<string, FieldDefinition>>;
type Schemas<Table, Schema> = { [Name in keyof Table]: Schema };

const Attributes = named(
  'Attributes',
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: attributesMax,
    propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
    additionalProperties: { type: 'string', maxLength: userFields.Attributes.maxLength },
    description: `Further values of a user, by their names: at most ${attributesMax}, each of at most ${userFields.Attributes.maxLength} bytes in UTF-8.`,
  }),
);

/** Tags as they are sent. */
export const Tags = named(
  'Tags',
  Type.Array(Type.String({ maxLength: principalFields.Tags.maxLength, pattern: tagPattern }), {
    maxItems: tagsMax,
    description: `Up to ${tagsMax} tags of a principal, each of at most ${principalFields.Tags.maxLength} letters (a to z), digits, dots, hyphens and underscores. They are stored in lower case, sorted.`,
  }),
);

const descriptions = {
  text: {},
  key: {},
  email: {},
  language: { description: 'A language tag (BCP 47), such as `it` or `de-CH`.' },
};

/** Returns the schemas of the fields of a new object. */
export function requestSchemas<Table extends Definitions>(table: Table) {
  return schemas(table, (definition) => sentSchema(definition, { minLength: 1 }));
}

/** Returns the schemas of the fields in an edit, where an empty text clears a field. */
export function editSchemas<Table extends Definitions>(table: Table) {
  return schemas(table, (definition) => sentSchema(definition, {}));
}

function sentSchema({ format, maxLength }: FieldDefinition, limits: { minLength?: number }): TSchema {
  if (format === 'attributes') return optional(Attributes);
  if (format === 'tags') return optional(Tags);
  return optional(Type.String({ ...limits, maxLength, ...descriptions[format] }));
}

/** Returns the schemas of the fields in an answer. */
export function answerSchemas<Table extends Definitions>(table: Table) {
  return schemas(table, ({ format }): TSchema => {
    if (format === 'tags') return nullable(Tags);
    return format === 'attributes' ? nullable(Attributes) : Text;
  });
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
