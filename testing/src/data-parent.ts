import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** File system in memory of Linux. */
const memory = '/dev/shm';
/** Free bytes from which clusters are in memory. The largest tests used 0.3 GB; a write-ahead log may grow to 1 GB. */
const memoryMin = 3 * 2 ** 30;

/**
 * Returns the folder for the data of PostgreSQL: in memory where it is possible. Every cluster and every database is
 * hundreds of files, which are slow to create, to flush and to delete on a disk. A cluster may have programs beside it.
 */
export function dataParent(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memory);
    const allowsPrograms = mount !== undefined && !mount.includes('noexec');
    return allowsPrograms && bavail * bsize >= memoryMin ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
