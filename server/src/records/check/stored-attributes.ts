import { clip } from '../../lib/request-fields.ts';
import type { StoredUser } from '../fields/compared-values.ts';
import { type Attributes, AttributesText, isSameAttributes } from '../fields/field-formats.ts';
import type { AttributeValues, CheckStore } from './check.store.ts';
import type { CheckTools } from './operation.ts';

/** A user whose sent attributes are compared with the stored ones. Null means no attributes. */
export interface SentAttributes {
  readonly user: StoredUser;
  readonly attributes: Attributes | null;
}

/** Maximum number of characters of a stored value in the answer to a dry run. */
const shownLength = 100;

/** Number of users whose attributes are read at once. A user may have 20 KB of them. */
const usersAtOnce = 200;

/**
 * Stands for stored attributes that differ from the sent ones and are not needed. It equals no attributes that can be
 * sent, because attributes are never empty.
 */
const otherAttributes = new AttributesText([]);

/**
 * Sets the stored attributes of users for whom attributes are sent. A call that sends little may name 100,000 users with
 * 2 GB of stored attributes, so that these are not kept in memory, unless a dry run shows them (shortened).
 */
export async function setStoredAttributes(
  sent: readonly SentAttributes[],
  store: CheckStore,
  { showsChanges = false }: CheckTools = {},
): Promise<void> {
  for (let at = 0; at < sent.length; at += usersAtOnce) {
    const some = sent.slice(at, at + usersAtOnce);
    const found = await store.findAttributes(some.map(({ user }) => user.id));
    for (const { user, attributes } of some) {
      const stored = found.get(user.id) ?? null;
      const isSame = stored && attributes ? isSameAttributes(stored, attributes) : stored === attributes;
      if (isSame || stored === null) user.fields.Attributes = isSame ? attributes : null;
      else user.fields.Attributes = showsChanges ? shownAttributes(stored, attributes) : otherAttributes;
    }
  }
}

/** Returns the attributes with shortened values. They must still differ from the sent ones. */
function shownAttributes(stored: AttributeValues, sent: Attributes | null): Attributes {
  const entries = Object.entries(stored).map(([name, value]) => {
    return [name, value.length > shownLength ? `${clip(value, shownLength)}…` : value] as const;
  });
  const shown = new AttributesText(entries);
  return sent && isSameAttributes(shown, sent) ? otherAttributes : shown;
}
