import type { Author, Journal } from '../core/journal/journal.ts';
import type { Connection } from './database.ts';
import { reading } from './failures.ts';

/** Who did it, as the first columns of a row. */
export const authorColumns = 'actor, client_id, user_id, address, request_id, call_id';

/** The parameters for them, from `first` on. */
export function authorPlaces(first: number): string {
  return ['text', 'bigint', 'bigint', 'inet', 'text', 'uuid']
    .map((type, at) => `$${first + at}::${type}`)
    .join(', ');
}

export function authorValues(author: Author, callId: string | null = null): unknown[] {
  const { actor, clientId, userId, address, requestId } = author;
  return [actor, clientId, userId, address, requestId, callId];
}

const noteSql = {
  name: 'note',
  text: `insert into anagrafe.journal (${authorColumns}, action, principal_id, details)
         values (${authorPlaces(1)}, $7, $8, $9::jsonb)`,
};

export function openJournal(connection: Connection): Journal {
  return {
    async note(author, { action, principalId = null, callId = null, details }) {
      const values = [
        ...authorValues(author, callId),
        action,
        principalId,
        details ? JSON.stringify(details) : null,
      ];
      await reading(() => connection.query(noteSql, values));
    },
  };
}
