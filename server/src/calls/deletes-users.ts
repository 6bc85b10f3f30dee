import type { RecordList } from '../json/record-list.ts';

/** Returns true if a record of `irs/update` deletes a user, for which an operator must confirm its identity. */
export async function deletesUsers(body: RecordList | null): Promise<boolean> {
  for (let position = 0; body && position < body.count; position++) {
    const text = body.text(position);
    // A record without the word, also in an escaped form, is not parsed twice.
    if (!text.includes('delete') && !text.includes('\\')) continue;
    const fields = await body.fields(position);
    const users = 'Users' in fields && Array.isArray(fields.Users) ? fields.Users : [];
    if (users.some((user) => user?.Operation === 'delete')) return true;
  }
  return false;
}
