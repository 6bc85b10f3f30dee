import type {
  Anagrafe,
  AppliedUser,
  InviteRecord,
  JobInvitation,
  UserOfPrincipal,
  WriteResult,
} from '@anagrafe/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { idOfApplied, principalsKey } from '../results/record-mutation.ts';
import { useAnagrafe, useChange, usePatientAnagrafe } from '../session/api-client.ts';
import { useSession } from '../session/session.ts';

/** How a user gets its code: by email, or from the person who reads it in the console. */
export type Channel = 'email' | 'code';

/** A code and the user whose password it sets. It exists only in the memory of the page. */
export type Invitation = Omit<JobInvitation, 'Position' | 'Skipped'>;

/** Returns true if the service has a mail server; undefined while that is unknown. */
export function useSendsMail(): boolean | undefined {
  return useSession().data?.SendsMail;
}

/** The name and the colour of the product that users see. */
export function useBrand() {
  const { BrandName: brand = '', BrandColor: colour = '' } = useSession().data ?? {};
  return { brand, colour };
}

/** Invites users. A repeated answer has no codes, so the users are invited again if the first answer was lost. */
export async function inviteUsers(
  anagrafe: Anagrafe,
  records: readonly InviteRecord[],
  channel: Channel,
): Promise<WriteResult> {
  for (;;) {
    const result = await anagrafe.passwords.invite(records, { representation: true });
    if (channel === 'email' || !result.replayed) return result;
  }
}

/** The names of a user that its code is handed out with. */
type InvitedUser = Pick<
  UserOfPrincipal,
  | 'IRID'
  | 'ExternalKey'
  | 'Denomination'
  | 'ID'
  | 'Username'
  | 'Email'
  | 'FirstName'
  | 'LastName'
  | 'Language'
>;

/** Returns the code in the representation of a user; null for an invitation by email and in a repeated answer. */
export function invitationOf(applied: AppliedUser | undefined, user: InvitedUser): Invitation | null {
  const { Code = null, URL = null, ExpiresAt = null } = applied ?? {};
  if (Code === null) return null;
  const { IRID, ExternalKey, Denomination, ID, Username, Email, FirstName, LastName, Language } = user;
  const names = { IRID, ExternalKey, Denomination, ID, Username, Email, FirstName, LastName, Language };
  return { ...names, Code, URL, ExpiresAt };
}

/**
 * Invites one user, and returns its code; null for an invitation by email.
 *
 * @throws {RecordError} The user was not invited.
 */
export async function inviteUser(
  anagrafe: Anagrafe,
  user: InvitedUser,
  channel: Channel,
): Promise<Invitation | null> {
  return invitationOf(await inviteById(anagrafe, user.IRID, user.ID, channel), user);
}

/** Sends a user a new link by email. */
export async function inviteByMail(anagrafe: Anagrafe, principalId: number, userId: number): Promise<void> {
  await inviteById(anagrafe, principalId, userId, 'email');
}

async function inviteById(anagrafe: Anagrafe, principalId: number, userId: number, channel: Channel) {
  const records = [{ ID: principalId, Users: [{ ID: userId, Invite: channel }] }];
  const result = await inviteUsers(anagrafe, records, channel);
  idOfApplied(result);
  return result.tuples[0]?.Item6.Users?.[0];
}

export function useInvite(user: UserOfPrincipal) {
  const anagrafe = useAnagrafe();
  return useChange(
    async (channel: Channel) => ({ invitation: await inviteUser(anagrafe, user, channel) }),
    () => [principalsKey],
  );
}

/** The users that have not set a password yet, and the records that invite them again. */
export interface Invited {
  readonly users: number;
  /** Users without an email address, who can only get a code. */
  readonly withoutEmail: number;
  readonly records: Readonly<Record<Channel, readonly InviteRecord[]>>;
}

/** The principal of the invited users, or tags of their principals, of which one is enough; no tags select all. */
export type InvitedFilter = { readonly ID: number } | { readonly Tags: readonly string[] };

export function useInvited(of: InvitedFilter) {
  const anagrafe = usePatientAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'invited', of],
    queryFn: async ({ signal }): Promise<Invited> => {
      const users = new Map<number, UserOfPrincipal[]>();
      const some = 'ID' in of ? { ID: of.ID } : of.Tags.length > 0 && { Tags: [...of.Tags] };
      const filter = { State: 'invited', PageSize: 1000, ...some } as const;
      for await (const user of anagrafe.users(filter, { signal }))
        users.set(user.IRID, [...(users.get(user.IRID) ?? []), user]);
      return invitedOf(users);
    },
    gcTime: 0,
  });
}

function invitedOf(principals: ReadonlyMap<number, readonly UserOfPrincipal[]>): Invited {
  const email: InviteRecord[] = [];
  const code: InviteRecord[] = [];
  let [users, withoutEmail] = [0, 0];
  for (const [ID, own] of principals) {
    const reachable = own.filter(({ Email }) => Email !== null);
    users += own.length;
    withoutEmail += own.length - reachable.length;
    // Without `Users` the service leaves out those that set a password before the job gets to them.
    code.push({ ID, Invite: 'code' });
    if (reachable.length === own.length) email.push({ ID, Invite: 'email' });
    else if (reachable.length > 0)
      email.push({ ID, Invite: 'email', Users: reachable.map((user) => ({ ID: user.ID })) });
  }
  return { users, withoutEmail, records: { email, code } };
}

/** The mutation submits a job that invites the users, and returns its ID. */
export function useInviteAll() {
  const { jobs } = usePatientAnagrafe();
  return useMutation({
    mutationFn: async (records: readonly InviteRecord[]) => (await jobs.submit('invite', records)).ID,
  });
}

/** Codes of the users that jobs have invited, and the number of users that got none. */
export interface IssuedCodes {
  readonly invitations: readonly Invitation[];
  readonly skipped: number;
}

/** The mutation issues the codes of jobs. Earlier codes of their users end. */
export function useIssueCodes(jobIds: readonly string[]) {
  const { jobs } = usePatientAnagrafe();
  return useMutation({
    gcTime: 0,
    mutationFn: async (): Promise<IssuedCodes> => {
      const invitations: Invitation[] = [];
      let skipped = 0;
      for (const jobId of jobIds)
        for await (const { Position, Skipped, ...invitation } of jobs.invitations(jobId)) {
          if (Skipped === null) invitations.push(invitation);
          else skipped++;
        }
      return { invitations, skipped };
    },
  });
}
