import type { english } from '../i18n/en.ts';

type Texts = typeof english;
export type Code = keyof Texts;

/**
 * Every code that a response can contain. A code never changes its meaning; the wording of its sentence may change.
 * `call`: the `errorCode` of the envelope. `record`: `Item2` of a tuple. `field`: an entry of `Item5`. `note`: not an
 * error; the response contains its sentence as `message`, but not the code.
 */
export const codes = {
  INVALID_JSON: 'call',
  INVALID_BODY: 'call',
  INVALID_PARAMETER: 'call',
  INVALID_REQUEST: 'call',
  REQUEST_TIMEOUT: 'call',
  HEADERS_TOO_LARGE: 'call',
  UNAUTHENTICATED: 'call',
  FORBIDDEN: 'call',
  NOT_FOUND: 'call',
  METHOD_NOT_ALLOWED: 'call',
  UNSUPPORTED_MEDIA_TYPE: 'call',
  BODY_TOO_LARGE: 'call',
  BATCH_TOO_LARGE: 'call',
  PARTIALLY_APPLIED: 'call',
  NOTHING_APPLIED: 'call',
  JOB_NOT_FOUND: 'call',
  CALL_NOT_FOUND: 'call',
  WEBHOOK_NOT_FOUND: 'call',
  SESSION_NOT_FOUND: 'call',
  INVALID_CLIENT: 'call',
  CLIENT_ADDRESS_TAKEN: 'call',
  CLIENT_NOT_FOUND: 'call',
  IDEMPOTENCY_IN_PROGRESS: 'call',
  IDEMPOTENCY_KEY_REUSED: 'call',
  TOO_MANY_REMOVALS: 'call',
  RATE_LIMITED: 'call',
  OVERLOADED: 'call',
  UNAVAILABLE: 'call',
  INTERNAL: 'call',

  INVALID_RECORD: 'record',
  INVALID_USERS: 'record',
  RECORD_TOO_LARGE: 'record',
  PRINCIPAL_NOT_FOUND: 'record',
  PRINCIPAL_DISABLED: 'record',
  USER_NOT_FOUND: 'record',
  USERNAME_TAKEN: 'record',
  EXTERNAL_KEY_TAKEN: 'record',
  DUPLICATE_PRINCIPAL: 'record',
  DIFFERS_FROM_STORED: 'record',
  PLAN_OUTDATED: 'record',
  OUTCOME_UNKNOWN: 'record',
  NOT_APPLIED: 'record',
  RECORD_FAILED: 'record',
  CANCELLED: 'record',

  REQUIRED: 'field',
  MORE_ERRORS: 'field',
  UNKNOWN_FIELD: 'field',
  WRONG_TYPE: 'field',
  INVALID_ID: 'field',
  INVALID_STATE: 'field',
  INVALID_OPERATION: 'field',
  NO_USERS: 'field',
  AMBIGUOUS_PRINCIPAL: 'field',
  AMBIGUOUS_USER: 'field',
  UNRECOGNISED_USER: 'field',
  DUPLICATE_USER: 'field',
  EMPTY_PRINCIPAL: 'field',
  TEXT_EMPTY: 'field',
  TEXT_TOO_LONG: 'field',
  TEXT_CHARACTERS: 'field',
  USERNAME_TOO_LONG: 'field',
  USERNAME_SPACES: 'field',
  USERNAME_CHARACTERS: 'field',
  USERNAME_DIRECTION: 'field',
  EMAIL_INVALID: 'field',
  EMAIL_TOO_LONG: 'field',
  LANGUAGE_INVALID: 'field',
  ATTRIBUTES_TOO_MANY: 'field',
  ATTRIBUTE_NAME: 'field',
  ATTRIBUTE_TOO_LONG: 'field',
  PASSWORD_TOO_SHORT: 'field',
  PASSWORD_TOO_LONG: 'field',
  PASSWORD_CHARACTERS: 'field',
  PASSWORD_COMMON: 'field',
  PASSWORD_IS_USERNAME: 'field',
  PASSWORD_IS_EMAIL: 'field',
  PASSWORD_MISMATCH: 'field',
  PASSWORD_BESIDE_HASH: 'field',
  PASSWORD_HASH_INVALID: 'field',
  PASSWORD_HASH_COST: 'field',
  CURRENT_PASSWORD_WRONG: 'field',

  TAKEN_AS_JOB: 'note',
} as const satisfies Record<Code, 'call' | 'record' | 'field' | 'note'>;

export type CodeWithOneText = { [C in Code]: Texts[C] extends string ? C : never }[Code];

/** The variants of a code that has several texts. */
export type Variant<C extends Code> = Texts[C] extends string ? never : keyof Texts[C];

/** The values that replace the `{name}` placeholders of a text. */
export type Figures = Readonly<Record<string, string | number>>;

/** The variant of a code with several texts, and the figures that the text contains. Never holds anything secret. */
type Details<C extends Code> = { readonly figures?: Figures } & (Texts[C] extends string
  ? { readonly variant?: never }
  : { readonly variant: Variant<C> });

/** The details of a code as the last argument of a function; optional if the code has one text. */
export type DetailsArgument<C extends Code, More = unknown> = Texts[C] extends string
  ? [details?: Details<C> & More]
  : [details: Details<C> & More];

type DetailOf<C extends Code> = { readonly code: C } & Details<C>;
export type ErrorDetail =
  | DetailOf<CodeWithOneText>
  | { [C in Exclude<Code, CodeWithOneText>]: DetailOf<C> }[Exclude<Code, CodeWithOneText>];
