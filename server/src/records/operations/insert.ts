import { required } from '../../lib/required.ts';
import { refuseTags } from '../check/caller-tags.ts';
import type { CheckStore } from '../check/check.store.ts';
import { insertPrincipal, newUser, registeredName, registeredUser } from '../check/compare.ts';
import { LookAlikes } from '../check/look-alikes.ts';
import type { CallOptions, Operation } from '../check/operation.ts';
import { findStoredNames, NamesOfCall, type NewNames } from '../check/taken-names.ts';
import type { UserRules } from '../parse/new-password.ts';
import { parseInsert } from '../parse/parse-records.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import { noChange, type PrincipalChange } from '../write/change.ts';

/** Creates principals, with or without users. */
export function insertOperation(store: CheckStore, rules: UserRules, options: CallOptions): Operation {
  return {
    name: 'insert',
    parse: (fields, errors) => parseInsert(fields, errors, rules),
    startChecks(tools) {
      const namesOfCall = new NamesOfCall();
      const lookAlikes = new LookAlikes(store, options, tools);
      return async (parsedRecords) => {
        const names = parsedRecords.map(newNames);
        const [stored, forms] = await Promise.all([
          findStoredNames(names, store, options),
          lookAlikes.find(parsedRecords),
        ]);
        // Stored names take precedence, then those of the first valid record of the call.
        return parsedRecords.map((parsed, at) => {
          lookAlikes.refuse(parsed, forms.get(parsed));
          refuseTags(parsed, null, options);
          namesOfCall.refuseTakenOrAdd(required(names[at]), stored, null, parsed.errors);
          lookAlikes.add(parsed, forms.get(parsed));
          return parsed.errors.none ? insertion(parsed, options) : null;
        });
      };
    },
  };
}

function newNames(parsed: ParsedRecord): NewNames {
  const { externalKey: key } = parsed;
  return {
    usernames: usersWith(parsed, 'register').flatMap(registeredName),
    externalKey: key === null ? null : { key, place: 'ExternalKey' },
  };
}

function insertion(parsed: ParsedRecord, { callerTags }: CallOptions): PrincipalChange {
  const users = usersWith(parsed, 'register');
  return {
    ...noChange,
    principalId: null,
    action: 'insert',
    principal: insertPrincipal(required(parsed.principal), callerTags),
    reportsPrincipal: false,
    users: users.map(newUser),
    applied: users.map(registeredUser),
  };
}
