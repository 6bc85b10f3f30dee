import { PassThrough, type Readable } from 'node:stream';
import { ApiError } from '../../lib/field-errors.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import type { ExportSelection, ExportStore } from './export.store.ts';
import { type ExportFormat, exportFormats, type FormatOptions } from './export-format.ts';

interface ExportLimits {
  /** Maximum number of exports at once. Each of them uses a connection to the database. */
  readonly atOnce: number;
  /** Time after which a client that reads nothing is disconnected, in milliseconds. */
  readonly stalledMs: number;
  /** Maximum duration in milliseconds. While a snapshot is open, PostgreSQL cannot remove deleted rows. */
  readonly totalMs: number;
}

export const exportLimits: ExportLimits = { atOnce: 2, stalledMs: 60_000, totalMs: 3_600_000 };

const retryAfterSeconds = 15;
/** Bytes that are formatted ahead of the client. */
const bufferBytes = 262_144;
/** Minimum length in characters of a piece that is written; the last piece may be shorter. */
const pieceLength = 65_536;

interface ExportRequest extends FormatOptions {
  /** Identifies the client, which can run one export at a time. */
  readonly client: string;
  readonly selection: ExportSelection;
  readonly format: ExportFormat;
}

/** Runs exports as streams. The memory that one needs does not depend on the number of users. */
export class Exporter {
  readonly #store: ExportStore;
  readonly #limits: ExportLimits;
  readonly #slots: Semaphore;
  /** The running export of each client. */
  readonly #running = new Map<string, PassThrough>();

  constructor(store: ExportStore, limits = exportLimits) {
    this.#store = store;
    this.#limits = limits;
    this.#slots = new Semaphore(limits.atOnce);
  }

  /**
   * Resolves when the first records have been read, so that an error of the database before that rejects. After that
   * an error destroys the stream: the response ends without its last chunk, which the client reports as an error.
   */
  async start(request: ExportRequest): Promise<Readable> {
    if (this.#running.has(request.client)) {
      const figures = { seconds: retryAfterSeconds };
      throw new ApiError('RATE_LIMITED', { variant: 'ownExport', figures, retryAfterSeconds });
    }
    const output = new PassThrough({ highWaterMark: bufferBytes });
    // Fastify adds its listener after the first records are read.
    output.on('error', () => undefined);
    let onBegin = () => {};
    const begun = new Promise<void>((resolve) => {
      onBegin = resolve;
    });
    const running = this.#slots.tryRun(() => this.#write(request, output, onBegin));
    if (!running) {
      const { atOnce } = this.#limits;
      const figures = { count: atOnce, seconds: retryAfterSeconds };
      throw new ApiError('RATE_LIMITED', { variant: 'exports', figures, retryAfterSeconds });
    }
    running.catch((error) => output.destroy(error));
    await Promise.race([begun, running]);
    return output;
  }

  /** Ends all running exports, because a stop of the service cannot wait for slow clients. */
  stop(): void {
    for (const output of this.#running.values()) output.destroy(new Error('the service stops'));
  }

  async #write(
    { client, selection, format, ...options }: ExportRequest,
    output: PassThrough,
    onBegin: () => void,
  ): Promise<void> {
    const { head, textsOf } = exportFormats[format](options);
    const { stalledMs, totalMs } = this.#limits;
    const endsAt = performance.now() + totalMs;
    const requireOpen = () => {
      if (performance.now() > endsAt) throw new Error('the export took too long');
      if (output.destroyed) throw new Error('the client closed the connection');
    };
    const write = async (text: string) => {
      requireOpen();
      const isFull = !output.write(text);
      if (isFull) await consumed(output, 'drain', stalledMs);
    };
    this.#running.set(client, output);
    try {
      const timeSlice = new TimeSlice();
      let piece = head;
      await this.#store.read(selection, options, async (parts) => {
        requireOpen();
        onBegin();
        for (const part of parts) {
          for await (const text of textsOf(part)) {
            piece += text;
            if (timeSlice.isOver) await timeSlice.yield();
            if (piece.length < pieceLength) continue;
            await write(piece);
            piece = '';
          }
        }
      });
      onBegin();
      if (piece !== '') await write(piece);
      output.end();
      await consumed(output, 'end', stalledMs);
    } finally {
      this.#running.delete(client);
    }
  }
}

/** Waits for an event of the client reading on. Rejects if it reads nothing for `stalledMs`, or closes the connection. */
function consumed(output: PassThrough, event: 'drain' | 'end', stalledMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let unread = unreadBytes(output);
    const timer = setInterval(() => {
      const before = unread;
      unread = unreadBytes(output);
      if (unread === before) settle(new Error('the client does not read the export'));
    }, stalledMs);
    const onConsumed = () => settle(null);
    const onClose = () => settle(new Error('the client closed the connection'));
    output.once(event, onConsumed);
    output.once('close', onClose);
    function settle(error: Error | null): void {
      clearInterval(timer);
      output.removeListener(event, onConsumed);
      output.removeListener('close', onClose);
      if (error) reject(error);
      else resolve();
    }
  });
}

function unreadBytes({ readableLength, writableLength }: PassThrough): number {
  return readableLength + writableLength;
}
