import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allPages, readPage, root } from './pages.ts';

interface Schema {
  readonly [key: string]: unknown;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

const document = JSON.parse(readFileSync(join(root, 'server/openapi.json'), 'utf8'));

const sorted = (values: readonly string[]) => [...new Set(values)].sort().join(', ');

function valuesOf(schema: Schema): unknown[] {
  if (schema.$ref) return valuesOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? '']);
  if (schema.const !== undefined) return [schema.const];
  return [...(schema.enum ?? []), ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(valuesOf)];
}

/** The sets of values that the document has for properties of each name. */
const enums = new Map<string, Set<string>>();

function collect(node: unknown): void {
  if (node === null || typeof node !== 'object') return;
  for (const [name, schema] of Object.entries((node as Schema).properties ?? {})) {
    const values = valuesOf(schema).filter((value) => typeof value === 'string');
    if (values.length > 1) enums.set(name, (enums.get(name) ?? new Set()).add(sorted(values)));
  }
  for (const child of Object.values(node)) collect(child);
}
collect(document);

/** A row of a table of fields whose meaning begins with a list of values: | `State` | string | `active` or `disabled` | */
const fieldRow = /^\| `(\w+)` \|[^|]*\|\s*((?:`[^`]+`(?:, | or )?){2,})/gm;

it.each(allPages.filter((page) => page.startsWith('docs/api/')))(
  'the values of the fields in %s are those of the schema',
  (page) => {
    const wrong = [...readPage(page).matchAll(fieldRow)].flatMap(([, name = '', list = '']) => {
      const values = sorted([...list.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value));
      const known = enums.get(name);
      return known === undefined || known.has(values)
        ? []
        : [`${name}: ${values}, not ${[...known].join(' or ')}`];
    });
    expect(wrong).toEqual([]);
  },
);
