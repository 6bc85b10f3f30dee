import { ApiError } from '../../lib/field-errors.ts';
import { required } from '../../lib/required.ts';
import type { CheckStore } from '../check/check.store.ts';
import { shownInvite } from '../check/compare.ts';
import type { CallOptions, Operation } from '../check/operation.ts';
import { type Found, findReferences } from '../check/references.ts';
import type { StoredUser } from '../fields/compared-values.ts';
import type { InviteChannel, InviteRules } from '../parse/new-password.ts';
import { parseInvite } from '../parse/parse-invite.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import { isNamedByUsername, namingPlace } from '../parse/parsed-user.ts';
import { noChange, type PrincipalChange } from '../write/change.ts';

interface InviteLimits extends Pick<InviteRules, 'sendsMail'> {
  readonly maxRecordUsers: number;
  /** The most users of a call that is answered at once, and of a job. */
  readonly maxUsers: { readonly answered: number; readonly job: number };
}

/** Gives existing users codes to set their passwords: those that a record names or, without `Users`, the invited ones. */
export function inviteOperation(
  store: CheckStore,
  rules: InviteLimits,
  { codes }: Pick<CallOptions, 'codes'>,
): Operation {
  return {
    name: 'invite',
    parse: (fields, errors) => parseInvite(fields, errors, { ...rules, codes }),
    startChecks() {
      let invited = 0;
      return async (parsedRecords) => {
        const changes = await checkAgainstStore(parsedRecords, store, rules);
        invited += changes.reduce((sum, change) => sum + (change?.users.length ?? 0), 0);
        requireFewer(invited, rules, codes);
        return changes;
      };
    },
  };
}

/** The users of a call are in memory together, and a record without `Users` is small however many it invites. */
function requireFewer(
  invited: number,
  { maxUsers: { answered, job } }: InviteLimits,
  codes: CallOptions['codes'],
): void {
  const users = codes === 'later' ? job : answered;
  if (invited <= users) return;
  throw codes === 'later'
    ? new ApiError('BATCH_TOO_LARGE', { variant: 'invitations', figures: { users } })
    : new ApiError('BATCH_TOO_LARGE', { variant: 'answeredInvitations', figures: { users, jobUsers: job } });
}

async function checkAgainstStore(
  parsedRecords: readonly ParsedRecord[],
  store: CheckStore,
  { maxRecordUsers }: InviteLimits,
): Promise<(PrincipalChange | null)[]> {
  const found = await findReferences(parsedRecords, store, {
    usersOf: (parsed) => usersWith(parsed, 'invite'),
    comparesValues: true,
  });
  const whole = found.flatMap(({ principal }, at) =>
    principal && parsedRecords[at]?.users === null ? [principal.id] : [],
  );
  const invited = await store.findInvited([...new Set(whole)], maxRecordUsers + 1);
  return parsedRecords.map((parsed, at) => {
    const own = required(found[at]);
    if (own.principal?.state === 'disabled') parsed.errors.add(parsed.namedBy, 'PRINCIPAL_DISABLED');
    const users = parsed.users === null ? invitedUsers(parsed, own, invited) : namedUsers(parsed, own);
    if (users.length > maxRecordUsers)
      parsed.errors.add('Users', 'RECORD_TOO_LARGE', {
        variant: 'invitations',
        figures: { users: maxRecordUsers },
      });
    return parsed.errors.none ? invitation(parsed, own, users) : null;
  });
}

interface InvitedUser {
  readonly user: StoredUser;
  readonly channel: InviteChannel;
}

function namedUsers(parsed: ParsedRecord, found: Found): InvitedUser[] {
  return usersWith(parsed, 'invite').flatMap((item) => {
    const user = found.users.get(item);
    if (!user || item.channel === null) return [];
    const place = namingPlace(item);
    if (user.state === 'disabled') parsed.errors.add(place, 'CANNOT_INVITE', { variant: 'disabled' });
    if (item.channel === 'email' && user.fields.Email === null)
      parsed.errors.add(place, 'CANNOT_INVITE', { variant: 'noAddress' });
    return [{ user, channel: item.channel }];
  });
}

function invitedUsers(
  { invite = null, errors }: ParsedRecord,
  { principal }: Found,
  invited: ReadonlyMap<number, readonly StoredUser[]>,
): InvitedUser[] {
  if (!principal || invite === null) return [];
  const users = invited.get(principal.id) ?? [];
  const without = users.filter(({ fields }) => fields.Email === null);
  const [first] = without;
  if (invite === 'email' && first) {
    const figures = { count: without.length, id: first.id };
    errors.add('Invite', 'CANNOT_INVITE', { variant: 'noAddresses', figures });
  }
  return users.map((user) => ({ user, channel: invite }));
}

function invitation(
  { users }: ParsedRecord,
  { principal }: Found,
  invited: readonly InvitedUser[],
): PrincipalChange {
  const { id: principalId, version } = required(principal);
  const isNamed = users?.some(isNamedByUsername) ?? false;
  return {
    ...noChange,
    principalId,
    reportsPrincipal: false,
    // A user that is named by its username may have another one by now.
    expectedVersion: isNamed ? version : null,
    users: invited.map(({ user: { id }, channel }) => {
      return { kind: 'invite', id, channel, unlessHasPassword: users === null };
    }),
    applied: invited.map(({ user: { id, username, fields }, channel }) => {
      return { id, username, email: fields.Email, operation: 'invite', ...shownInvite(channel) };
    }),
  };
}
