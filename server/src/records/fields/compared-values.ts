import type {
  FieldEdits,
  PrincipalFields,
  principalFields,
  State,
  UserFields,
  userFields,
} from './fields.ts';

// Principals and users as they are stored and as they are sent. compare.ts finds the differences.

/** A principal as the checks find it. */
export interface StoredPrincipal {
  readonly id: number;
  /** Changes with each change of the principal or of its users; see `PrincipalChange.expectedVersion`. */
  readonly version: string;
  /** Of the tags, those that the caller sees. */
  readonly fields: PrincipalFields;
  /** The other tags, which stay as they are. */
  readonly hiddenTags: readonly string[];
  readonly state: State;
  readonly usersCount: number;
  /** The external keys of principals that were merged into this one, which name it, too. */
  readonly aliases: readonly string[];
}

/** A user as the checks find it. */
export interface StoredUser {
  readonly id: number;
  /** Changes with each change of the user; see `UserMove.expectedVersion`. */
  readonly version: string;
  readonly principalId: number;
  readonly username: string;
  readonly usernameKey: string;
  readonly fields: StoredUserFields;
  readonly state: State;
  /** False for a user that is invited. */
  readonly hasPassword: boolean;
  readonly mustChange: boolean;
}

/** `Attributes`, which may be large, are present only if the record sends attributes; see stored-attributes.ts. */
export type StoredUserFields = Omit<UserFields, 'Attributes'> & { Attributes?: UserFields['Attributes'] };

export interface SentPrincipal {
  readonly fields: FieldEdits<typeof principalFields>;
  /** Null if the state stays as it is. */
  readonly state: State | null;
}

export interface SentUser {
  readonly fields: FieldEdits<typeof userFields>;
  /** Null if the state stays as it is. */
  readonly state: State | null;
  /** True if the user must change its password; absent or null if that stays as it is. */
  readonly mustChange?: boolean | null;
}
