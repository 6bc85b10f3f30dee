import { type Command, InvalidArgumentError } from 'commander';

/** The fields of principals or users, as the client lists them. */
type FieldTable = Readonly<Record<string, { readonly format: string }>>;
/** The values of `--attribute`: null removes an attribute. */
type AttributeChanges = Readonly<Record<string, string | null>>;

const attributeFormat = 'attributes';
const tagsFormat = 'tags';

/** `FirstName` becomes `first-name`. */
function optionName(field: string): string {
  return field.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** `FirstName` becomes `firstName`, the name under which Commander passes the option. */
function keyOf(field: string): string {
  return field.charAt(0).toLowerCase() + field.slice(1);
}

/** Returns the options for the fields, such as `--first-name`. */
export function fieldOptions(fields: FieldTable): string[] {
  return Object.entries(fields).map(([field, { format }]) =>
    format === attributeFormat ? '--attribute' : `--${optionName(field)}`,
  );
}

/** Adds an option for each field. `Attributes` has `--attribute name=value`, which can be repeated. */
export function withFields(command: Command, fields: FieldTable): Command {
  for (const [field, { format }] of Object.entries(fields)) {
    if (format === attributeFormat)
      command.option(
        '--attribute <name=value>',
        'set an attribute, or remove it with "name="; can be repeated',
        readAttribute,
      );
    else if (format === tagsFormat)
      command.option('--tags <tags>', 'field Tags: all tags of the principal, with commas between them');
    else command.option(`--${optionName(field)} <text>`, `field ${field}`);
  }
  return command;
}

function readAttribute(text: string, before: AttributeChanges = {}): AttributeChanges {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected <name>=<value>.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) || null };
}

/** The fields that options can set, by their names in the API. */
type FieldValues<Fields extends FieldTable> = {
  [Field in keyof Fields]?: Fields[Field]['format'] extends typeof attributeFormat
    ? Record<string, string>
    : Fields[Field]['format'] extends typeof tagsFormat
      ? string[]
      : string;
};

/** Returns the fields that the options set. Attributes that are not named keep their values in `attributes`. */
export function fieldsOf<Fields extends FieldTable>(
  fields: Fields,
  options: object,
  attributes: Readonly<Record<string, string>>,
): FieldValues<Fields> {
  const given = options as Readonly<Record<string, unknown>>;
  const found: Record<string, string | string[] | Record<string, string>> = {};
  for (const [field, { format }] of Object.entries(fields)) {
    const value = given[format === attributeFormat ? 'attribute' : keyOf(field)];
    if (value === undefined) continue;
    if (format === attributeFormat) found[field] = merged(attributes, value as AttributeChanges);
    else found[field] = format === tagsFormat ? readTags(String(value)) : String(value);
  }
  return found as FieldValues<Fields>;
}

/** Splits tags at commas and spaces. */
export function readTags(text: string): string[] {
  return text.split(/[\s,]+/).filter((tag) => tag !== '');
}

function merged(before: Readonly<Record<string, string>>, changes: AttributeChanges): Record<string, string> {
  const entries = Object.entries({ ...before, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
