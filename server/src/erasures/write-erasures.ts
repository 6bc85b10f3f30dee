import type { Database } from '../db/database.ts';
import { appendErasures, type Erasure, readErasures } from './erasure-log.ts';
import { missingIn, readDeletions } from './erasures.store.ts';

interface ErasureLogOptions {
  readonly path: string;
  readonly timeline: string;
}

/**
 * Creates the task that appends new deletions to the erasure log. It returns true if there are more. The end of the file
 * says where to continue. If the database does not have its last row, because it was restored, all of its deletions are
 * appended again, which changes nothing.
 */
export function erasureLogWriter(
  database: Database,
  { path, timeline }: ErasureLogOptions,
): () => Promise<boolean> {
  let after: number | null = null;
  return async () => {
    after ??= await positionIn(database, path);
    const { erasures, upTo, more } = await readDeletions(database, after);
    if (erasures.length > 0)
      await appendErasures(
        path,
        erasures.map((erasure) => ({ ...erasure, timeline })),
      );
    after = upTo;
    return more;
  };
}

async function positionIn(database: Database, path: string): Promise<number> {
  let last: Erasure | null = null;
  for await (const erasure of readErasures(path)) last = erasure;
  if (!last || (await missingIn(database, [last])).length > 0) return 0;
  return last.position;
}
