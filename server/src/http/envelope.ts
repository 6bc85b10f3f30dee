import type { Static } from 'typebox';
import type { Code, ErrorDetail } from '../lib/error-codes.ts';
import { type Language, translate } from '../lib/translate.ts';
import type { DebugSchema } from './answer-schemas.ts';
import { statusOf } from './status.ts';

export type Debug = Static<typeof DebugSchema>;

export interface Result<Item> {
  totalCount: number;
  totalPages: number;
  page: number;
  count: number;
  records: Item[];
  record: unknown;
}

export const emptyResult: Result<never> = {
  totalCount: 0,
  totalPages: 0,
  page: 1,
  count: 0,
  records: [],
  record: null,
};

/** The body of every answer. The order of the fields is part of the contract. */
export interface Envelope<Item = unknown> {
  statusCode: number;
  errorCode: Code | null;
  message: string | null;
  result: Result<Item> | null;
  debug: Debug | null;
}

export function errorEnvelope(error: ErrorDetail, language: Language, debug: Debug | null): Envelope<never> {
  return {
    statusCode: statusOf(error.code),
    errorCode: error.code,
    message: translate(error, language),
    result: null,
    debug,
  };
}

/**
 * Returns the envelope of one page of a list. `count` is given if the records are streamed. `record` is the object that
 * the list belongs to, or null.
 */
export function pageEnvelope<Item>(
  of: { totalCount: number; count?: number; page?: number; pageSize: number },
  records: Item[],
  debug: Debug | null,
  record: unknown = null,
): Envelope<Item> {
  const { totalCount, count = records.length, page = 1, pageSize } = of;
  const totalPages = Math.ceil(totalCount / pageSize);
  const result = { totalCount, totalPages, page, count, records, record };
  return { statusCode: 200, errorCode: null, message: null, result, debug };
}

export function recordEnvelope(record: unknown, debug: Debug | null): Envelope<never> {
  return pageEnvelope({ totalCount: 0, pageSize: 1 }, [], debug, record);
}
