import { Refusal } from '../faults.ts';
import { type Fields, isAbsent, isObject, shown } from '../fields/fields.ts';
import { meantBy } from '../fields/spelling.ts';
import { checkGranularity, checkTold, checkTypes, checkUrl, type WebhookWish } from './webhook.ts';

/** What is asked for with a new endpoint. */
export function readWish(body: unknown): WebhookWish {
  const fields = readFields(body, ['URL', 'Types', 'Granularity']);
  if (isAbsent(fields.URL)) checkUrl('');
  const wish = { types: [], granularity: 'record', ...readParts(fields) } as WebhookWish;
  checkTold(wish);
  return wish;
}

/** What is asked to be changed of an endpoint. */
export function readChange(body: unknown): Partial<WebhookWish> & { enabled?: boolean } {
  const fields = readFields(body, ['URL', 'Types', 'Granularity', 'Enabled']);
  if (isAbsent(fields.Enabled)) return readParts(fields);
  if (typeof fields.Enabled !== 'boolean')
    throw new Refusal('INVALID_PARAMETER', { variant: 'flag', figures: { name: 'Enabled' } });
  return { ...readParts(fields), enabled: fields.Enabled };
}

function readParts(fields: Fields): Partial<WebhookWish> {
  const { URL: url, Types: types, Granularity: granularity } = fields;
  return {
    ...(!isAbsent(url) && { url: checkUrl(String(url)) }),
    ...(!isAbsent(types) && { types: checkTypes(Array.isArray(types) ? types : [types]) }),
    ...(!isAbsent(granularity) && { granularity: checkGranularity(granularity) }),
  };
}

function readFields(body: unknown, known: readonly string[]): Fields {
  if (!isObject(body)) throw new Refusal('INVALID_BODY', { variant: 'object' });
  const unknown = Object.keys(body).find((name) => !isAbsent(body[name]) && !known.includes(name));
  if (unknown === undefined) return body;
  const meant = meantBy(unknown, known);
  throw new Refusal('INVALID_PARAMETER', {
    variant: meant ? 'spelling' : 'unknown',
    figures: { name: shown(unknown), ...(meant && { meant }) },
  });
}
