import { FieldErrors } from '../../lib/field-errors.ts';
import { readAttributes, readTags } from '../fields/field-formats.ts';
import { userFields } from '../fields/fields.ts';
import { inviteChannels } from '../parse/new-password.ts';

// Values of failed records that are kept because they are known not to be secret. Undefined redacts a value.

export function plainInvite(value: unknown): unknown {
  return inviteChannels.find((known) => known === value);
}

/** Redacts attributes that are not valid: an object may have any number of values of any size. */
export function plainAttributes(value: unknown): unknown {
  const errors = new FieldErrors(1);
  const attributes = readAttributes(value, userFields.Attributes.maxLength, 'Attributes', errors);
  return errors.none ? (attributes ?? {}) : undefined;
}

export function plainTags(value: unknown): unknown {
  const errors = new FieldErrors(1);
  const tags = readTags(value, 'Tags', errors);
  return errors.none ? (tags ?? []) : undefined;
}
