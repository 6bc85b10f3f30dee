import type { FieldErrors } from '../../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields, within } from '../../lib/request-fields.ts';
import { type InviteRules, readInvite } from './new-password.ts';
import { ignoredFields, type ParsedRecord, readPrincipalReference, readUsers } from './parsed-record.ts';
import { type Invitation, readItemObject, readNamedUser } from './parsed-user.ts';

/**
 * Parses a record of `irs/invite`. `Invite` of the record is the channel of all invited users of the principal or, with
 * `Users`, of those without one of their own.
 */
export async function parseInvite(
  fields: Fields,
  errors: FieldErrors,
  rules: InviteRules,
): Promise<ParsedRecord> {
  const reference = readPrincipalReference(fields, errors);
  refuseUnknownFields(fields, ['ID', 'ExternalKey', 'Invite', 'Users', ...ignoredFields], '', errors);
  const invite = readInvite(fields.Invite, 'Invite', rules, errors);
  if (isAbsent(fields.Users) && isAbsent(fields.Invite)) errors.addMissing('Invite');
  if (Array.isArray(fields.Users) && fields.Users.length === 0) errors.add('Users', 'NO_USERS');
  const readUser = (value: unknown, place: string): Invitation | null => {
    const sent = readItemObject(value, place, errors);
    if (!sent) return null;
    refuseUnknownFields(sent, ['ID', 'Username', 'Invite'], place, errors);
    const at = within(place, 'Invite');
    if (isAbsent(sent.Invite) && isAbsent(fields.Invite)) errors.addMissing(at);
    const channel = isAbsent(sent.Invite) ? invite : readInvite(sent.Invite, at, rules, errors);
    return { operation: 'invite', ...readNamedUser(sent, place, errors), channel };
  };
  const users = isAbsent(fields.Users) ? null : await readUsers(fields.Users, readUser, errors);
  return { ...reference, principal: null, users, invite, allowsSimilar: true, errors };
}
