import type { CheckStore } from '../check/check.store.ts';
import type { CallOptions, Operation } from '../check/operation.ts';
import { UpsertCheck, type UpsertRules } from '../check/upsert-check.ts';
import { parseUpsert } from '../parse/parse-records.ts';

/** Creates missing principals and users, changes those that differ, and leaves equal ones as they are. */
export function upsertOperation(store: CheckStore, rules: UpsertRules, options: CallOptions): Operation {
  return {
    name: 'upsert',
    parse: (fields, errors) => parseUpsert(fields, errors, rules),
    startChecks(tools) {
      const check = new UpsertCheck(store, rules, options, tools);
      return (parsedRecords) => check.check(parsedRecords);
    },
  };
}
