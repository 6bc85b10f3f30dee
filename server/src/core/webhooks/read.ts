import { type Fields, isAbsent } from '../fields/fields.ts';
import { readParameters, wrongParameter } from '../fields/parameters.ts';
import { checkGranularity, checkTold, checkTypes, checkUrl, type WebhookWish } from './webhook.ts';

/** What is asked for with a new endpoint. */
export function readWish(body: unknown): WebhookWish {
  const fields = readParameters(body, ['URL', 'Types', 'Granularity']);
  if (isAbsent(fields.URL)) checkUrl('');
  const wish = { types: [], granularity: 'record', ...readParts(fields) } as WebhookWish;
  checkTold(wish);
  return wish;
}

/** What is asked to be changed of an endpoint. */
export function readChange(body: unknown): Partial<WebhookWish> & { enabled?: boolean } {
  const fields = readParameters(body, ['URL', 'Types', 'Granularity', 'Enabled']);
  if (isAbsent(fields.Enabled)) return readParts(fields);
  if (typeof fields.Enabled !== 'boolean') throw wrongParameter('Enabled', 'flag');
  return { ...readParts(fields), enabled: fields.Enabled };
}

function readParts(fields: Fields): Partial<WebhookWish> {
  const { URL: url, Types: types, Granularity: granularity } = fields;
  return {
    ...(!isAbsent(url) && { url: checkUrl(typeof url === 'string' ? url : '') }),
    ...(!isAbsent(types) && { types: checkTypes(Array.isArray(types) ? types : [types]) }),
    ...(!isAbsent(granularity) && { granularity: checkGranularity(granularity) }),
  };
}
