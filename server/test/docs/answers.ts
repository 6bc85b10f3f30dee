import { documentedText, documentedValue, fitsText, formatJson, misfit, parseJsonValues } from './json.ts';
import type { Block } from './pages.ts';

/** Returns how the output of commands differs from the documented answer, or null. */
export function difference({ language, text }: Block, output: string): string | null {
  if (language === 'json') return jsonDifference(text, output);
  if (language === 'http') return httpDifference(readHttp(text), readHttp(output));
  return textDifference(text, output);
}

function jsonDifference(documented: string, output: string): string | null {
  const [shown, printed] = [valuesOf(documented), valuesOf(output)];
  if (typeof shown === 'string') return `the page shows no JSON: ${shown}`;
  if (typeof printed === 'string') return `the commands print no JSON: ${printed}`;
  if (shown.length === 1 && printed.length === 1) return misfit(shown[0], printed[0]);
  return misfit(shown, printed);
}

/** Returns the parsed values, or the text that is not JSON. */
function valuesOf(text: string): unknown[] | string {
  try {
    return parseJsonValues(text);
  } catch {
    return text;
  }
}

/** Every documented line must be printed, in this order; the page may leave lines out. */
function textDifference(documented: string, output: string): string | null {
  const printed = output.split('\n');
  let next = 0;
  for (const line of documented.trimEnd().split('\n')) {
    if (line.trim() === '') continue;
    const found = printed.findIndex((text, index) => index >= next && fitsText(line.trim(), text.trim()));
    if (found === -1) return `"${line}" is not in the output:\n${output}`;
    next = found + 1;
  }
  return null;
}

interface HttpAnswer {
  readonly status: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

function readHttp(text: string): HttpAnswer {
  const [head = '', ...body] = text.replaceAll('\r\n', '\n').split('\n\n');
  const [status = '', ...lines] = head.split('\n').filter((line) => line !== '');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { status: status.trim(), headers, body: body.join('\n\n').trim() };
}

/** The page may leave out headers and the body. */
function httpDifference(documented: HttpAnswer, actual: HttpAnswer): string | null {
  if (!fitsText(documented.status, actual.status))
    return `the status line is "${actual.status}", the page shows "${documented.status}"`;
  const actualHeaders = new Map(actual.headers);
  for (const [name, value] of documented.headers) {
    const sent = actualHeaders.get(name);
    if (sent === undefined || !fitsText(value, sent))
      return `the header ${name} is "${sent}", the page shows "${value}"`;
  }
  return documented.body === '' ? null : jsonDifference(documented.body, actual.body);
}

/** Returns the text of an answer as two runs have printed it. */
export function filled(block: Block, first: string, second: string): string {
  if (block.language === 'json') return `${filledJson(block.text, first, second)}\n`;
  if (block.language === 'http') return filledHttp(readHttp(block.text), readHttp(first), readHttp(second));
  const fits = [first, second].every((output) => textDifference(block.text, output) === null);
  return fits && block.text.trim() !== '' ? block.text : filledText(first, second);
}

/** The command line prints these at intervals, so that they differ from run to run. */
const progressLine = /^(checking|importing|resetting) {2}/;

/** Progress, and lines that only one run prints, are left out. */
function filledText(first: string, second: string): string {
  const [one, two] = [first, second].map((text) =>
    text
      .trimEnd()
      .split('\n')
      .filter((line) => !progressLine.test(line)),
  ) as [string[], string[]];
  const lines =
    one.length === two.length
      ? one.map((line, index) => documentedText(line, two[index] ?? ''))
      : one.filter((line) => two.includes(line));
  return `${lines.join('\n')}\n`;
}

function filledJson(documented: string, first: string, second: string): string {
  const [shown, one, two] = [valuesOf(documented), parseJsonValues(first), parseJsonValues(second)];
  const before = typeof shown === 'string' ? [] : shown;
  return one.map((value, index) => formatJson(documentedValue(before[index], value, two[index]))).join('\n');
}

function filledHttp(documented: HttpAnswer, first: HttpAnswer, second: HttpAnswer): string {
  const others = new Map(second.headers);
  const shown = new Map(documented.headers);
  const headers = first.headers
    .filter(([name]) => shown.has(name))
    .map(([name, value]) => `${name}: ${documentedValue(shown.get(name), value, others.get(name))}\n`);
  const body = documented.body === '' ? '' : `\n${filledJson(documented.body, first.body, second.body)}\n`;
  return `${first.status}\n${headers.join('')}${body}`;
}
