import { flag, integer, text } from './setting.ts';

/** The settings of scheduled backups. */
export const backupSettings = {
  BACKUP_FOLDER: text({
    takes: 'a path',
    about:
      'folder for scheduled backups of the embedded PostgreSQL and for the erasure log, if possible on another disk; none are taken without it',
    fallback: null,
  }),
  BACKUP_HOURS: integer(1, 8760, 24, 'hours between two scheduled backups'),
  BACKUP_DAYS: integer(1, 3650, 14, 'days to keep scheduled backups; the newest one always stays'),
  BACKUP_ENCRYPT: flag(true, 'encrypt scheduled backups with a key that is derived from the master key'),
};
