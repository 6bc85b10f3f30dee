import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import pg from 'pg';
import type { Connection } from '../embedded-postgres/embedded-postgres.ts';
import { pieceBytes } from './backup-files.ts';

interface BaseBackup {
  /** The files of the cluster as a tar archive, with the write-ahead log that makes them consistent. */
  readonly tar: Readable;
  /** Resolves with the list of the files and their checksums, once PostgreSQL has sent everything. */
  readonly manifest: Promise<string>;
}

/** Copies a running cluster over the replication protocol. */
export async function readBaseBackup(connection: Connection): Promise<BaseBackup> {
  const client = new pg.Client({ ...connection, replication: 'true' } as pg.ClientConfig);
  // An error of the connection is that of its query, too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // The slot keeps the write-ahead log until the backup contains it. It ends with the connection.
    await client.query(
      `CREATE_REPLICATION_SLOT anagrafe_backup_${process.pid} TEMPORARY PHYSICAL RESERVE_WAL`,
    );
  } catch (error) {
    await client.end();
    throw error;
  }
  const copy = new ClusterCopy();
  const manifest = copy.run(client).finally(() => client.end());
  // The reader of the archive gets the error, too.
  manifest.catch((error) => copy.tar.destroy(error));
  copy.tar.once('close', () => {
    if (!copy.tar.readableEnded) void client.end();
  });
  return { tar: copy.tar, manifest };
}

/** The kinds of messages of `BASE_BACKUP`, by their first byte. Another kind reports the progress. */
const kinds = { archive: 'n', manifest: 'm', data: 'd' };

interface CopyData {
  readonly chunk: Buffer;
}

class ClusterCopy {
  readonly tar = new Readable({ highWaterMark: pieceBytes, read: () => this.#socket?.resume() });
  #socket: Socket | undefined;
  #archives = 0;
  /** The pieces of the manifest, which follows the archive. Null until then. */
  #manifest: Buffer[] | null = null;

  run(client: pg.Client): Promise<string> {
    return new Promise((resolve, reject) => {
      const query = new pg.Query(
        `BASE_BACKUP (LABEL 'anagrafe', CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`,
        (error) => (error ? reject(error) : resolve(Buffer.concat(this.#manifest ?? []).toString())),
      );
      // `pg` calls this method of a query for each message of a copy.
      const handleCopyData = (message: CopyData, { stream }: { readonly stream: Socket }) =>
        this.#receive(message, stream);
      client.query(Object.assign(query, { handleCopyData }));
    });
  }

  #receive({ chunk }: CopyData, socket: Socket): void {
    this.#socket = socket;
    const kind = String.fromCharCode(chunk[0] ?? 0);
    if (kind === kinds.archive && ++this.#archives > 1)
      this.tar.destroy(new Error('The cluster has tablespaces, which a backup cannot contain'));
    if (kind === kinds.manifest) {
      this.#manifest = [];
      this.tar.push(null);
      // After its end nobody reads the archive, which would go on with the messages.
      socket.resume();
    }
    if (kind !== kinds.data) return;
    // `pg` uses the memory of the message again.
    const data = Buffer.from(chunk.subarray(1));
    if (this.#manifest) this.#manifest.push(data);
    else if (!this.tar.push(data)) socket.pause();
  }
}
