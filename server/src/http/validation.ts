import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  FastifySchemaCompiler,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { closestName } from '../lib/did-you-mean.ts';
import type { CodeWithOneText, Figures, Variant } from '../lib/error-codes.ts';
import { ApiError, wrongParameter } from '../lib/field-errors.ts';
import { isAbsent, isObject, shown } from '../lib/request-fields.ts';
import { definitions, lengthOfNfc, notFoundCode } from './schemas.ts';

/** The parameters as a handler receives them: a field that was null is absent. */
export type Validated<Parameters> = { [Name in keyof Parameters]: Exclude<Parameters[Name], null> };

export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Validated<Static<this['schema']>> : unknown;
  serializer: unknown;
}

export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>;

/** The keywords of a JSON Schema that errors and conversions are derived from. */
interface Keywords {
  readonly type?: string;
  readonly $ref?: string;
  readonly anyOf?: readonly Keywords[];
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly items?: Keywords;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  /** The checks of `refined`. Their error text is the variant of the message. */
  readonly '~refine'?: readonly { error(value: unknown): Variant<'INVALID_PARAMETER'> }[];
  readonly [lengthOfNfc]?: boolean;
  readonly [notFoundCode]?: CodeWithOneText;
}

type Parameter = ReturnType<typeof parameterOf>;
type Result = { readonly value: object } | { readonly error: ApiError };

/**
 * Compiles the schema of a part of a request when its route is registered. The result checks the part and converts it.
 * Two parts are not validated by their schema: the records of a bulk call, each of which has its own field errors, and
 * headers, which are free text except for `Idempotency-Key`, which a dry run ignores.
 */
export const compileRequestSchema: FastifySchemaCompiler<unknown> = ({ schema, httpPart, method, url }) => {
  const definition = definitionOf(schema as Keywords);
  if (httpPart === 'headers' || (httpPart === 'body' && definition.type === 'array')) return () => true;
  if (!definition.properties)
    throw new Error(`${method} ${url}: the schema of the ${httpPart} is not an object`);
  const isText = httpPart !== 'body';
  const parameters = new Map(
    Object.entries(definition.properties).map(([name, property]) => [
      name,
      parameterOf(name, property, definition.required?.includes(name) ?? false, isText),
    ]),
  );
  const code = definition[notFoundCode];
  return (input: unknown) => {
    const result = validate(input, parameters);
    return code !== undefined && 'error' in result ? { error: new ApiError(code) } : result;
  };
};

/** Refuses the first unknown name, and then the first invalid value in the order of the schema. */
function validate(input: unknown, parameters: ReadonlyMap<string, Parameter>): Result {
  if (!isObject(input)) return { error: new ApiError('INVALID_BODY', { variant: 'object' }) };
  for (const name of Object.keys(input))
    if (!parameters.has(name) && !isAbsent(input[name]))
      return { error: unknownParameter(name, [...parameters.keys()]) };
  const value: Record<string, unknown> = {};
  for (const { name, required, fallback, convert, isValid, error } of parameters.values()) {
    const sent = input[name];
    if (isAbsent(sent)) {
      if (required) return { error: error() };
      if (fallback !== undefined) value[name] = fallback;
      continue;
    }
    const converted = convert(sent);
    if (!isValid(converted)) return { error: error() };
    value[name] = converted;
  }
  return { value };
}

/**
 * Validates the query of every route before the body is read. Every route must have a schema of its query: a misspelled
 * `dryRun` that is ignored would change data. Only the body of a bulk call (`records`) may be an array, because its
 * schema does not validate it.
 */
export function validateQueries(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    if (!schema?.querystring) throw new Error(`${method} ${url}: the route has no schema of its query`);
    const isArray = definitionOf((schema.body ?? {}) as Keywords).type === 'array';
    if (isArray && !config?.records) throw new Error(`${method} ${url}: the schema of the body is an array`);
  });
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const validator = request.getValidationFunction('querystring') as unknown as (query: unknown) => Result;
    const result = validator(request.query);
    if ('error' in result) throw result.error;
    request.query = result.value;
  });
}

function unknownParameter(name: string, known: readonly string[]): ApiError {
  const meant = closestName(name, known);
  return wrongParameter(shown(name), meant ? 'spelling' : 'unknown', meant ? { meant } : {});
}

function parameterOf(name: string, schema: Keywords, required: boolean, isText: boolean) {
  const main = mainOf(schema);
  const check = checkOf(schema);
  const normalizes = main[lengthOfNfc] ?? main.items?.[lengthOfNfc] ?? false;
  return {
    name,
    required,
    fallback: main.default,
    convert: isText ? converterOf(main) : (value: unknown) => value,
    isValid: (value: unknown) => check(normalizes ? toNfc(value) : value),
    error: () => errorOf(name, main),
  };
}

/** The compiled checks by schema: most routes share the parameters `debug`, `page` and `pageSize`. */
const checks = new WeakMap<Keywords, (value: unknown) => boolean>();

function checkOf(schema: Keywords): (value: unknown) => boolean {
  const known = checks.get(schema);
  if (known) return known;
  const validator = Compile(definitionsIn(schema), schema as TSchema);
  const check = (value: unknown) => validator.Check(value);
  checks.set(schema, check);
  return check;
}

/** Returns the definitions that a schema refers to. The compiler would visit every definition that it receives. */
function definitionsIn(schema: object): Record<string, TSchema> {
  const names = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, name = '']) => name);
  return Object.assign(
    {},
    ...names.map((name) => ({ [name]: definitions[name], ...definitionsIn(definitions[name] ?? {}) })),
  );
}

function definitionOf(schema: Keywords): Keywords {
  return schema.$ref === undefined ? schema : definitionOf(definitions[schema.$ref] as Keywords);
}

/** Returns the first alternative that is not null: the schema that messages describe. */
function mainOf(schema: Keywords): Keywords {
  const definition = definitionOf(schema);
  const alternative = definition.anyOf?.find(({ type }) => type !== 'null');
  return alternative ? mainOf(alternative) : definition;
}

/** Converts the text of a query or a path. Text that cannot be converted stays text, which the schema refuses. */
function converterOf({ type }: Keywords): (value: unknown) => unknown {
  if (type === 'integer')
    return (value) => (typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value);
  if (type === 'boolean') return (value) => (value === 'true' ? true : value === 'false' ? false : value);
  return (value) => value;
}

/** Longer texts exceed every limit, and are not worth the work. */
const longestNormalized = 4096;

function toNfc(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toNfc);
  return typeof value === 'string' && value.length <= longestNormalized ? value.normalize('NFC') : value;
}

function errorOf(name: string, schema: Keywords): ApiError {
  const items = schema.items && mainOf(schema.items);
  const choices = (schema.enum ?? items?.enum)?.join(', ');
  const limits = {
    min: schema.minimum,
    max: schema.maximum ?? schema.maxLength ?? items?.maxLength ?? schema.maxItems,
    count: schema.maxItems,
    takes: choices,
    known: choices,
  };
  const figures = Object.entries(limits).filter(([, figure]) => figure !== undefined);
  return wrongParameter(name, variantOf(schema, items), Object.fromEntries(figures) as Figures);
}

function variantOf(schema: Keywords, items: Keywords | undefined): Variant<'INVALID_PARAMETER'> {
  const [refinement] = schema['~refine'] ?? [];
  if (refinement) return refinement.error(undefined);
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'boolean') return 'flag';
  if (items?.enum && schema.minItems) return 'scopes';
  if (schema.enum ?? items?.enum) return 'choice';
  return items ? 'texts' : 'text';
}
