/** Codes of a field: an entry of `Item5`. */
export const fieldTexts = {
  REQUIRED: {
    field: 'This field is required.',
    principal: 'Send ID or ExternalKey.',
    user: 'Send ID or Username.',
  },
  MORE_ERRORS: '{count} more fields of this record have errors. They are not listed.',
  UNKNOWN_FIELD: {
    unknown: 'Unknown field "{field}".',
    spelling: 'Unknown field "{field}". Did you mean "{known}"?',
    more: 'This object has {count} more unknown fields.',
  },
  WRONG_TYPE: {
    string: 'Must be a string.',
    array: 'Must be an array.',
    object: 'Must be an object.',
    boolean: 'Must be true or false.',
  },
  INVALID_ID: 'The ID must be an integer from 1 to 9007199254740991, not a string.',
  INVALID_STATE: 'The state must be "active" or "disabled".',
  INVALID_SIMILAR: 'The value must be "allow".',
  INVALID_OPERATION: 'The operation must be "register", "reset", "edit", "delete" or "move".',
  NO_USERS: 'Send at least one user.',
  NOT_PERMITTED: 'Your role can only reset passwords here.',
  AMBIGUOUS_PRINCIPAL: 'Send either the ID or the ExternalKey of the principal, not both.',
  AMBIGUOUS_USER: {
    shape:
      'Send either a Username to register a user, or an ID to reset a password, not both. To name an existing user by its Username, send Operation.',
    named: 'Send either the ID or the Username of the user, not both.',
    register: 'Send the Username of a new user without ID.',
  },
  UNRECOGNISED_USER: 'Username is missing. To reset the password of an existing user, send its ID instead.',
  DUPLICATE_USER: {
    record: 'This user occurs twice in the record. Send it once.',
    call: 'An earlier record of the same call moves or deletes this user.',
  },
  EMPTY_PRINCIPAL: 'Send at least one of {fields}.',
  TEXT_EMPTY: {
    optional: 'Must not be empty. Send null or omit the field.',
    required: 'Must not be empty.',
  },
  TEXT_TOO_LONG: 'Must have at most {max} characters.',
  TEXT_CHARACTERS: 'Must not contain control characters or invisible characters.',
  USERNAME_TOO_LONG: 'The username must have at most {max} characters.',
  USERNAME_SPACES: 'The username must not begin or end with a space, or contain two spaces in a row.',
  USERNAME_CHARACTERS: 'The username contains a character that is not allowed in usernames.',
  USERNAME_DIRECTION:
    'The username mixes left-to-right and right-to-left characters in an order that is not allowed (RFC 5893).',
  EMAIL_INVALID: 'This is not a valid email address.',
  EMAIL_TOO_LONG: 'The email address must have at most {max} characters.',
  LANGUAGE_INVALID: 'This is not a language tag (BCP 47), such as "it" or "de-CH".',
  ATTRIBUTES_TOO_MANY: 'There are {count} attributes. At most {max} are allowed.',
  ATTRIBUTE_NAME:
    '"{name}" is not a valid name of an attribute. Use 1 to 64 letters (A-Z), digits, dots, hyphens and underscores.',
  ATTRIBUTE_TOO_LONG: 'The value of an attribute must have at most {max} bytes in UTF-8.',
  TAGS_TOO_MANY: 'There are {count} tags. At most {max} are allowed.',
  TAG_INVALID:
    '"{tag}" is not a valid tag. Use 1 to {max} letters (a-z), digits, dots, hyphens and underscores, with a letter or digit first.',
  TAG_NOT_PERMITTED: 'You can give a principal the tags {tags}, no others, and cannot remove them from it.',
  PASSWORD_TOO_SHORT: 'The password must have at least {min} characters.',
  PASSWORD_TOO_LONG: 'The password must have at most {max} characters.',
  PASSWORD_CHARACTERS: 'The password contains a control character or another character that is not allowed.',
  PASSWORD_COMMON: 'This password is too common. Choose another one.',
  PASSWORD_IS_USERNAME: 'The password must differ from the username.',
  PASSWORD_IS_EMAIL: 'The password must not be the email address or the part before the @.',
  PASSWORD_MISMATCH: 'ConfirmPassword does not match Password.',
  PASSWORD_BESIDE_HASH: 'Send either PasswordHash, or Password and ConfirmPassword, not both.',
  PASSWORD_HASH_INVALID:
    'Unsupported or malformed password hash. Supported formats: argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) and ASP.NET Core Identity.',
  PASSWORD_HASH_COST: {
    memory: 'This {algorithm} hash uses {found} KiB of memory. Allowed: {min} to {max} KiB.',
    passes:
      'This {algorithm} hash uses {found} passes. With its amount of memory, {min} to {max} are allowed.',
    parallelism: 'This {algorithm} hash has a parallelism of {found}. Allowed: {min} to {max}.',
    cost: 'This {algorithm} hash has a cost of {found}. Allowed: {min} to {max}.',
    iterations:
      'This {algorithm} hash has {found} iterations. With its key length, {min} to {max} are allowed.',
  },
  PASSWORD_REUSED: 'This is one of the last {count} passwords of the user. Choose another one.',
  INVALID_INVITE: 'Must be "email" or "code".',
  INVITE_BESIDE_PASSWORD: 'An invited user chooses its password. Send either Invite or {names}, not both.',
  CANNOT_INVITE: {
    noMail: 'This service does not send mail. Send Invite: "code".',
    noAnswer:
      'The code would not be in the answer. Send "Prefer: return=representation", or send the call as a job and read the codes from its "invitations".',
    noAddress: 'The user has no email address. Send Email, or Invite: "code".',
    noAddresses:
      '{count} invited users of the principal have no email address, such as the user with ID {id}. Send Invite: "code" for these users.',
    disabled: 'This user is disabled. Enable it before you invite it.',
  },
  CURRENT_PASSWORD_WRONG: 'The current password is wrong.',
};
