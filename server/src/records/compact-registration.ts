// Users of a record with thousands of them: each keeps its place in the text, and is parsed again when it is needed.

import type { LargeList } from '../json/large-list.ts';
import { FieldErrors } from '../lib/field-errors.ts';
import type { Username } from '../usernames/username.ts';
import type { AppliedUser } from './outcome.ts';
import { type ItemSource, newUser, required } from './parsed-record.ts';
import {
  type NewUser,
  type Registration,
  readRegistration,
  readUserItem,
  type UpdateItem,
  type UserItem,
  type UserRules,
} from './user-item.ts';

/**
 * Number of users of a record that keep all of their values. A record with more users is written alone and in slices,
 * so that the values of the others are needed for a short time only.
 */
export const wholeRegistrations = 2000;

/** Parses users of one record again. It keeps the user that was parsed last, because several fields of it are read. */
class Reader {
  readonly #rules: UserRules;
  readonly #list: LargeList;
  #item: CompactRegistration | null = null;
  #registration: Registration | null = null;

  constructor(rules: UserRules, list: LargeList) {
    this.#rules = rules;
    this.#list = list;
  }

  read(item: CompactRegistration, start: number, end: number): Registration {
    if (this.#item !== item || !this.#registration) {
      const value = this.#list.parseSmall(start, end);
      this.#registration = required(readRegistration(value, item.place, this.#rules, new FieldErrors()));
      this.#item = item;
    }
    return this.#registration;
  }
}

/**
 * A registration that keeps the mapped username, which is compared with all others of the call, and the place of the
 * user in the text of the record, from which it parses the other values whenever they are read. It takes about a sixth
 * of the memory of the values.
 */
class CompactRegistration implements Registration, Username {
  readonly #reader: Reader;
  readonly #position: number;
  readonly #start: number;
  readonly #end: number;
  readonly #key: string | null;
  readonly sendsPassword: boolean;

  constructor(registration: Registration, { position, start, end }: ItemSource, reader: Reader) {
    this.#reader = reader;
    this.#position = position;
    this.#start = start;
    this.#end = end;
    this.#key = registration.username?.key ?? null;
    this.sendsPassword = registration.password !== null;
  }

  get operation(): 'register' {
    return 'register';
  }

  get place(): string {
    return `Users[${this.#position}]`;
  }

  /** The registration is its own `Username`, which saves an object. */
  get username(): Username | null {
    return this.#key === null ? null : this;
  }

  get key(): string {
    return required(this.#key);
  }

  get asSent(): string {
    return required(this.#values.username).asSent;
  }

  get fields(): Registration['fields'] {
    return this.#values.fields;
  }

  get password(): string | null {
    return this.sendsPassword ? this.#values.password : null;
  }

  get passwordHash(): string | null {
    return this.#values.passwordHash;
  }

  get #values(): Registration {
    return this.#reader.read(this, this.#start, this.#end);
  }
}

/** A registered user whose values are read on demand: the result of a job does not need them. */
class AppliedRegistration implements AppliedUser {
  readonly #item: Registration;
  readonly id: number;

  constructor(item: Registration, id: number) {
    this.#item = item;
    this.id = id;
  }

  get operation(): 'register' {
    return 'register';
  }

  get username(): string {
    return required(this.#item.username).asSent;
  }

  get email(): string | null {
    return this.#item.fields.Email;
  }
}

/** Returns true if the user was sent with a password to hash, without parsing it again. */
export function sendsPassword(item: UserItem): boolean {
  return item instanceof CompactRegistration ? item.sendsPassword : item.password !== null;
}

/** Returns the hash to store: the computed one, or the one that was sent. */
export function passwordHashOf(item: UserItem, computed: ReadonlyMap<UserItem, string>): string | null {
  return computed.get(item) ?? item.passwordHash;
}

/** Returns the imported hash that an item holds; null if there is none, or if it has to be parsed again. */
export function heldPasswordHash(item: UserItem): string | null {
  return item instanceof CompactRegistration ? null : item.passwordHash;
}

type ReadItem<Item> = (
  value: unknown,
  place: string,
  errors: FieldErrors,
  source: ItemSource | null,
) => Item | null;

/** Returns a function that parses the users of one record of `irs/insert`, compactly if they can be parsed again. */
export function registrationReader(rules: UserRules): ReadItem<Registration> {
  return compactReader(rules, readRegistration);
}

/** Returns a function that parses the users of one record of `irs/update`. It keeps registrations compactly. */
export function userItemReader(rules: UserRules): ReadItem<UpdateItem> {
  return compactReader(rules, readUserItem);
}

function compactReader<Item extends UpdateItem>(
  rules: UserRules,
  readItem: (value: unknown, place: string, rules: UserRules, errors: FieldErrors) => Item | null,
): ReadItem<Item | Registration> {
  let reader: Reader | undefined;
  return (value, place, errors, source) => {
    const item = readItem(value, place, rules, errors);
    if (item?.operation !== 'register' || !source || source.position < wholeRegistrations) return item;
    reader ??= new Reader(rules, source.list);
    return new CompactRegistration(item, source, reader);
  };
}

/** The users of a record that is written in slices. `position` is the zero-based index of a user. */
export interface NewUserList {
  /** One ID for each user, in the order sent, which is ascending. */
  readonly ids: readonly number[];
  usernameKey(position: number): string;
  read(position: number): NewUser;
}

/** Returns the registered users of a record as a list that parses each of them when it is needed. */
export function newUserList(
  users: readonly Registration[],
  ids: readonly number[],
  hashes: ReadonlyMap<UserItem, string>,
): NewUserList {
  if (ids.length !== users.length) throw new Error('each new user needs one ID');
  return {
    ids,
    usernameKey: (position) => required(users[position]?.username).key,
    read(position) {
      const item = required(users[position]);
      return newUser(item, ids[position], passwordHashOf(item, hashes));
    },
  };
}

export function appliedRegistrations(
  users: readonly Registration[],
  ids: readonly number[],
): AppliedRegistration[] {
  return users.map((item, position) => new AppliedRegistration(item, required(ids[position])));
}
