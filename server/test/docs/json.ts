/** Stands in a documented answer for text, or for a whole value, that differs from run to run. */
export const anything = '…';
const widest = 100;

/** Parses one or more JSON objects or arrays that follow each other, as several commands print them. */
export function parseJsonValues(text: string): unknown[] {
  const values: unknown[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const end = endOfValue(rest);
    values.push(JSON.parse(rest.slice(0, end)));
    rest = rest.slice(end).trim();
  }
  return values;
}

function endOfValue(text: string): number {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return index + token.length;
  }
  return text.length;
}

/** Writes JSON over several lines. An object or a list of plain values stays on one line if it fits. */
export function formatJson(value: unknown, indent = '', before = 0): string {
  const inline = formatInline(value);
  const mustBreak = Array.isArray(value) && value.some((item) => item !== null && typeof item === 'object');
  if (!mustBreak && before + inline.length <= widest) return inline;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => deeper + formatJson(item, deeper, deeper.length + 1));
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (value === null || typeof value !== 'object') return inline;
  const fields = Object.entries(value).map(([name, field]) => {
    const head = `${deeper}${JSON.stringify(name)}: `;
    return head + formatJson(field, deeper, head.length + 1);
  });
  return `{\n${fields.join(',\n')}\n${indent}}`;
}

function formatInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatInline).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}: ${formatInline(field)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** Returns whether a text fits a documented one, in which `…` stands for any text. */
export function fitsText(documented: string, actual: string): boolean {
  const parts = documented.split(anything).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(actual);
}

/**
 * Returns where a value does not fit the documented one, or null. `…` stands for any value, as the last item of a list
 * for any further items, and as the name of a field for any further fields.
 */
export function misfit(documented: unknown, actual: unknown, path = '$'): string | null {
  if (documented === anything) return null;
  if (typeof documented === 'string' && typeof actual === 'string')
    return fitsText(documented, actual) ? null : differs(path, documented, actual);
  if (Array.isArray(documented) && Array.isArray(actual)) return misfitOfList(documented, actual, path);
  if (isObject(documented) && isObject(actual)) return misfitOfObject(documented, actual, path);
  return Object.is(documented, actual) ? null : differs(path, documented, actual);
}

function misfitOfList(
  documented: readonly unknown[],
  actual: readonly unknown[],
  path: string,
): string | null {
  const shown = documented.at(-1) === anything ? documented.slice(0, -1) : documented;
  const fitsLength = shown === documented ? actual.length === shown.length : actual.length >= shown.length;
  if (!fitsLength) return `${path} has ${actual.length} items, the page shows ${documented.length}`;
  return firstOf(shown.map((item, index) => misfit(item, actual[index], `${path}[${index}]`)));
}

type Fields = Readonly<Record<string, unknown>>;

function misfitOfObject(documented: Fields, actual: Fields, path: string): string | null {
  const shown = Object.keys(documented).filter((name) => name !== anything);
  const missing = shown.filter((name) => !(name in actual));
  const more = anything in documented ? [] : Object.keys(actual).filter((name) => !(name in documented));
  if (missing.length > 0) return `${path} has no ${missing.join(', ')}`;
  if (more.length > 0) return `${path} also has ${more.join(', ')}`;
  return firstOf(shown.map((name) => misfit(documented[name], actual[name], `${path}.${name}`)));
}

const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const firstOf = (found: readonly (string | null)[]) => found.find((text) => text !== null) ?? null;

function differs(path: string, documented: unknown, actual: unknown): string {
  return `${path} is ${JSON.stringify(actual)}, the page shows ${JSON.stringify(documented)}`;
}

/**
 * Returns the value to document: what two runs have in common, and `…` for the rest. What the page shows now is kept
 * wherever it fits both.
 */
export function documentedValue(shown: unknown, first: unknown, second: unknown): unknown {
  if (shown !== undefined && misfit(shown, first) === null && misfit(shown, second) === null) return shown;
  if (typeof first === 'string' && typeof second === 'string') return documentedText(first, second);
  if (Array.isArray(first) && Array.isArray(second)) {
    const before = Array.isArray(shown) ? shown : [];
    const isCut = before.at(-1) === anything && first.length >= before.length - 1;
    const items = isCut ? first.slice(0, before.length - 1) : first;
    if (!isCut && first.length !== second.length) return anything;
    const kept = items.map((item, index) => documentedValue(before[index], item, second[index]));
    return isCut ? [...kept, anything] : kept;
  }
  if (isObject(first) && isObject(second)) {
    const before = isObject(shown) ? shown : {};
    const isCut = anything in before;
    const names = Object.keys(first).filter((name) => !isCut || name in before);
    const kept = names.map((name) => [name, documentedValue(before[name], first[name], second[name])]);
    return Object.fromEntries(isCut ? [...kept, [anything, anything]] : kept);
  }
  return Object.is(first, second) ? first : anything;
}

/** Times, UUIDs, tokens and digests differ from run to run even where two runs happen to agree. */
const volatile =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{64}|(?<=\bag[a-z]_)\w{16,}|(?<=whsec_)[\w+/=]{16,}/g;

/** Returns the text that two runs share, word by word, with `…` for the others. */
export function documentedText(first: string, second: string): string {
  const [one, two] = [first, second].map((text) => text.replace(volatile, anything).split(/(\s+)/)) as [
    string[],
    string[],
  ];
  if (one.length !== two.length) return anything;
  return one.map((word, index) => (word === two[index] ? word : anything)).join('');
}
