import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';

/** Waits until everything that was written is in the folder of the backups. */
export async function archived({ database, config }: TestService): Promise<void> {
  const [written] = await database.query<{ file: string }>(
    'select pg_walfile_name(pg_switch_wal() - 1) as file',
  );
  const log = join(config.BACKUP_FOLDER ?? '', 'log');
  await until(
    () => existsSync(join(log, `${written?.file}.gz.encrypted`)),
    () => `${written?.file} in ${existsSync(log) ? readdirSync(log) : 'no folder'}`,
  );
}
