// Writes client/src/api.gen.ts: the types of the client, from server/openapi.json, and the fields of principals and
// users, from server/src/records/fields/fields.ts, which must be compiled.
//
//   node scripts/generate-client.mjs           write the file
//   node scripts/generate-client.mjs --check   exit 1 when the file is not what would be written

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { principalFields, userFields } from '../server/dist/records/fields/fields.js';

const output = new URL('../client/src/api.gen.ts', import.meta.url);
const document = JSON.parse(readFileSync(new URL('../server/openapi.json', import.meta.url), 'utf8'));
const { schemas } = document.components;

// What several schemas have in common, as types of their own; those schemas are written as extensions of it.
schemas.CloudEventAttributes = commonTo(schemas.CallCompleted, schemas.JobCompleted);
schemas.EditedPrincipal = commonTo(schemas.UpdateRecord.anyOf[0], schemas.UpsertRecord.anyOf[0]);
schemas.EditedUser = commonTo(schemas.Edit.anyOf[0], schemas.UpsertUser);
schemas.ListFilter = commonTo(schemas.PrincipalFilter, schemas.UserFilter);
schemas.NewUserValues = commonTo(schemas.Registration, schemas.RegistrationWithHash);
schemas.StoredPrincipal = commonTo(schemas.Principal, schemas.ExportedPrincipal);
schemas.TupleItems = commonTo(schemas.Tuple, schemas.UpsertTuple);

const widest = 110;
const isEnvelope = (name) => name.endsWith('Envelope');
const nameOf = ({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1);

/** The properties that all of these schemas have, required in all of them or in none. */
function commonTo(schema, ...others) {
  const shared = propertiesOf(schema).filter((member) =>
    others.every((other) => propertiesOf(other).includes(member)),
  );
  const properties = Object.fromEntries(
    shared.map((member) => [JSON.parse(member)[0], JSON.parse(member)[2]]),
  );
  return {
    type: 'object',
    properties,
    required: (schema.required ?? []).filter((name) => name in properties),
  };
}

/** The schema without the properties of another one. */
function without(schema, { properties: others }) {
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !(name in others));
  return { ...schema, properties: Object.fromEntries(own) };
}

/** The fewest members that a schema must share with another to be written as an extension of it. */
const sharedMin = 4;

/** The named schema with the most members among those whose members are all in this one too. */
function baseOf(schema, membersOf) {
  const members = membersOf(schema);
  const bases = Object.entries(schemas).filter(([, other]) => {
    const shared = membersOf(other);
    return (
      shared.length >= sharedMin &&
      shared.length < members.length &&
      shared.every((member) => members.includes(member))
    );
  });
  return bases.toSorted(([, one], [, other]) => membersOf(other).length - membersOf(one).length)[0];
}

function propertiesOf({ properties = {}, required = [] }) {
  return Object.entries(properties).map(([name, schema]) =>
    JSON.stringify([name, required.includes(name), schema]),
  );
}

function choicesOf({ enum: choices = [] }) {
  return choices;
}

/** The type of a schema, as it is written at a depth of indentation. */
function typeOf(schema, depth) {
  if (schema.as) return schema.as; // a name that is not in the document
  if (schema.$ref) return isEnvelope(nameOf(schema)) ? envelopeOf(nameOf(schema), depth) : nameOf(schema);
  if (schema.anyOf) {
    const members = flatUnion(schema.anyOf);
    if (members.length > 1 && members.every(({ properties }) => properties))
      return variantsOf(members, depth);
    return unionOf(
      members.map((member) => typeOf(member, depth)),
      depth,
    );
  }
  if (schema.enum) {
    const [name, base] = baseOf(schema, choicesOf) ?? [];
    const own = schema.enum.filter((choice) => !base?.enum.includes(choice)).map(quoted);
    return unionOf(name ? [...own, name] : own, depth);
  }
  if (schema.not && schema.type === undefined) return 'never';
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayOf(typeOf(schema.items, depth));
    case 'object':
      return objectOf(schema, depth);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`what is a schema of type ${schema.type}?`);
  }
}

/** The members of a union, with those of the unions in it. */
function flatUnion(members) {
  return members.flatMap((member) => (member.anyOf && !member.$ref ? flatUnion(member.anyOf) : [member]));
}

function arrayOf(item) {
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

/** A union of objects. What all of them have is written once, beside the union of what differs. */
function variantsOf(members, depth) {
  const shared = commonTo(...members);
  const variants = members.map((member) => objectOf(without(member, shared), depth + 1));
  if (Object.keys(shared.properties).length === 0) return unionOf(variants, depth);
  const [base, { properties: inherited }] = baseOf(shared, propertiesOf) ?? [null, { properties: {} }];
  const own = without(shared, { properties: inherited });
  const parts = Object.keys(own.properties).length > 0 ? [objectOf(own, depth)] : [];
  const line = `(${variants.join(' | ')})`;
  const fits = !line.includes('\n') && line.length + depth * 2 < widest - 10;
  return [
    ...(base ? [base] : []),
    ...parts,
    fits ? line : `(${unionOf(variants, depth)}\n${'  '.repeat(depth)})`,
  ].join(' & ');
}

/** The members of a union: on one line, texts on as few lines as they fill, others on a line each. */
function unionOf(members, depth) {
  const line = [...new Set(members)].join(' | ');
  if (!line.includes('\n') && line.length + depth * 2 < widest - 20) return line;
  const indent = '  '.repeat(depth + 1);
  const lines = [];
  for (const member of members) {
    const longer = `${lines.at(-1)} | ${member}`;
    const joins =
      member.startsWith("'") && lines.at(-1)?.startsWith(`${indent}| '`) && longer.length < widest;
    if (joins) lines.pop();
    lines.push(joins ? longer : `${indent}| ${member.replaceAll('\n', '\n  ')}`);
  }
  return `\n${lines.join('\n')}`;
}

function quoted(value) {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function objectOf({ properties = {}, required = [], additionalProperties, leavable }, depth) {
  const indent = '  '.repeat(depth + 1);
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : quoted(name);
    const mark = required.includes(name) ? '' : '?';
    const nothing = leavable ? ' | undefined' : '';
    return `${commentOf(describe(schema), depth + 1)}${indent}${key}${mark}: ${typeOf(schema, depth + 1)}${nothing};\n`;
  });
  if (additionalProperties) {
    const open = additionalProperties === true ? {} : additionalProperties;
    if (fields.length === 0) return `Record<string, ${typeOf(open, depth)}>`;
    fields.push(`${indent}[field: string]: ${typeOf(open, depth + 1)};\n`);
  }
  if (fields.length === 0) return 'Record<string, never>';
  const line = `{ ${fields.map((field) => field.trim()).join(' ')} }`.replace('; }', ' }');
  const fits = depth > 0 && !/\n|\/\*/.test(line) && depth * 2 + line.length < widest - 10;
  return fits ? line : `{\n${fields.join('')}${'  '.repeat(depth)}}`;
}

/** A nullable schema has its description on the member that is not null. */
function describe({ description, anyOf = [] }) {
  return description ?? anyOf.find((member) => member.description)?.description;
}

function commentOf(text, depth) {
  if (!text) return '';
  const indent = '  '.repeat(depth);
  const line = `${indent}/** ${sentence(text)} */\n`;
  if (line.length <= widest) return line;
  const lines = [''];
  for (const word of sentence(text).split(' ')) {
    if (lines.at(-1).length + word.length > widest - indent.length - 5) lines.push('');
    lines.push(`${lines.pop()} ${word}`);
  }
  return `${indent}/**\n${lines.map((part) => `${indent} *${part}\n`).join('')}${indent} */\n`;
}

function sentence(text) {
  const closed = /[.:?]$/.test(text) ? text : `${text}.`;
  return closed.replace(/^[a-z]+(?![\w])/, (word) => word[0].toUpperCase() + word.slice(1));
}

function envelopeOf(name, depth) {
  const { records, record } = schemas[name].properties.result.properties;
  return `Envelope<${typeOf(records.items, depth)}, ${typeOf(record, depth)}>`;
}

function declarationOf(name, schema) {
  const comment = commentOf(schema.description, 0);
  const [base, { properties: inherited }] = baseOf(schema, propertiesOf) ?? [null, { properties: {} }];
  const type = typeOf(base ? without(schema, { properties: inherited }) : schema, 0);
  if (base) return `\n${comment}export interface ${name} extends ${base} ${type}\n`;
  if (type.startsWith('{') && !schema.anyOf) return `\n${comment}export interface ${name} ${type}\n`;
  return `\n${comment}export type ${name} =${type.startsWith('\n') ? '' : ' '}${type};\n`;
}

/** The one form of every answer, out of one that is in the document. */
function envelopeDeclarations() {
  const { properties, required } = schemas.TuplesEnvelope;
  const { result } = properties;
  const page = {
    ...result,
    properties: {
      ...result.properties,
      records: { type: 'array', items: { as: 'Item' } },
      record: { as: 'About', description: 'the one thing that the answer is about' },
    },
  };
  const envelope = {
    type: 'object',
    required,
    properties: { ...properties, result: { as: 'Page<Item, About> | null' } },
  };
  return [
    `\n/** A page of what was asked for. */\nexport interface Page<Item, About = null> ${objectOf(page, 0)}\n`,
    `\n/** The one form of every answer. */\nexport interface Envelope<Item, About = null> ${objectOf(envelope, 0)}\n`,
  ].join('');
}

/** Every call of the document, with its path and its method. */
const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), ...call })),
);

function requestOf({ parameters = [], requestBody }) {
  const properties = {};
  const required = [];
  for (const place of ['path', 'query']) {
    // The client has no use for `debug`, which is for a person who reads the answer.
    const found = parameters.filter(({ in: where, name }) => where === place && name !== 'debug');
    if (found.length === 0) continue;
    properties[place] = {
      type: 'object',
      // An undefined value is not sent.
      leavable: place === 'query',
      properties: Object.fromEntries(
        // The methods of the client describe their parameters.
        found.map(({ name, schema: { description, ...schema } }) => [name, schema]),
      ),
      required: found.filter((parameter) => parameter.required).map(({ name }) => name),
    };
    if (properties[place].required.length > 0) required.push(place);
  }
  if (requestBody) {
    properties.body = requestBody.content['application/json'].schema;
    required.push('body');
  }
  return { type: 'object', properties, required };
}

function operationOf(call) {
  const answers = Object.entries(call.responses)
    .filter(([status]) => Number(status) < 300)
    // A line of NDJSON is what the client parses.
    .map(([, { content }]) => (content['application/json'] ?? content['application/x-ndjson']).schema);
  const properties = { request: requestOf(call), answer: { anyOf: answers } };
  const type = objectOf({ properties, required: ['request', 'answer'] }, 1);
  return `${commentOf(call.summary, 1)}  ${call.operationId}: ${type};\n`;
}

function routeOf({ operationId, method, path }) {
  return `  ${operationId}: { method: '${method}', path: '${path}' },\n`;
}

/** Declares a table of fields, without what only the server needs. */
function fieldsOf(name, description, table) {
  const fields = Object.entries(table).map(([field, { format, maxLength, headings }]) => {
    const names = headings.map((heading) => `'${heading}'`).join(', ');
    return `  ${field}: { format: '${format}', maxLength: ${maxLength}, headings: [${names}] },\n`;
  });
  return `\n/** ${description} */\nexport const ${name} = {\n${fields.join('')}} as const;\n`;
}

const text = [
  '// Written by scripts/generate-client.mjs from server/openapi.json and server/src/records/fields/fields.ts. Do not edit.\n',
  ...Object.entries(schemas)
    .filter(([name]) => !isEnvelope(name))
    .map(([name, schema]) => declarationOf(name, schema)),
  envelopeDeclarations(),
  '\n/** What every call takes and answers, by its name in the document. */\n',
  `export interface Operations {\n${calls.map(operationOf).join('')}}\n`,
  '\n/** Where every call goes. */\n',
  `export const routes = {\n${calls.map(routeOf).join('')}} as const satisfies Record<keyof Operations, { method: string; path: string }>;\n`,
  fieldsOf('principalFields', 'The descriptive fields of a principal.', principalFields),
  fieldsOf('userFields', 'The descriptive fields of a user.', userFields),
].join('');

if (!process.argv.includes('--check')) {
  writeFileSync(output, text);
} else if (!existsSync(output) || readFileSync(output, 'utf8') !== text) {
  console.error(
    'client/src/api.gen.ts is behind server/openapi.json or the table of fields; run: npm run generate',
  );
  process.exitCode = 1;
}
