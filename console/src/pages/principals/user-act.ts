import type { UserOfPrincipal } from '@anagrafe/client';

/** What can be done to one user. */
export type UserAct = 'reset' | 'state';

/** What is done to one user, in front of the list. */
export interface UserActProps {
  readonly user: UserOfPrincipal;
  readonly onClose: () => void;
}
