import type { FieldErrors } from '../../lib/field-errors.ts';
import { within } from '../../lib/request-fields.ts';
import type { Blocklist } from '../../passwords/blocklist.ts';
import type { NewPassword } from '../parse/new-password.ts';
import type { ParsedRecord } from '../parse/parsed-record.ts';
import type { Operation } from './operation.ts';

/** Returns an operation that also refuses leaked passwords. They are searched on disk, so after the record is parsed. */
export function refuseLeakedPasswords(operation: Operation, blocklist: Blocklist): Operation {
  return {
    ...operation,
    async parse(fields, errors) {
      const parsed = await operation.parse(fields, errors);
      for (const { place, password, errors: own } of passwordsOf(parsed)) {
        const at = within(place, 'Password');
        if (password.text === null || own.byPlace.has(at)) continue;
        if (await blocklist.isLeaked(password.text)) own.add(at, 'PASSWORD_COMMON');
      }
      return parsed;
    },
  };
}

interface SentPassword {
  readonly place: string;
  readonly password: NewPassword;
  readonly errors: FieldErrors;
}

function* passwordsOf({ users, errors }: ParsedRecord): Generator<SentPassword> {
  for (const user of users ?? []) {
    const { place } = user;
    if ((user.operation === 'register' || user.operation === 'reset') && user.password)
      yield { place, password: user.password, errors };
    if (user.operation === 'upsert' && user.password?.password)
      yield { place, password: user.password.password, errors: user.password.errors };
  }
}
