import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { makeCertificate } from '@anagrafe/testing/certificate';
import { makeFolder } from '@anagrafe/testing/embedded-postgres';
import { atEnd } from '@anagrafe/testing/endings';

/** A message of the PostgreSQL protocol. */
function message(type: string, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(5, type);
  header.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([header, bytes]);
}

function errorMessage(severity: string, code: string): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, 'Man error that the proxy made up', ''];
  return message('E', `${fields.join('\0')}\0`);
}

const ready = message('Z', 'I');

/** Bytes that take the place of an answer of PostgreSQL. */
interface Damage {
  readonly bytes: Buffer;
  /** True if the bytes bypass TLS, as those of a program between the service and PostgreSQL. */
  readonly raw?: boolean;
  /** True if one byte of the TLS record is flipped, if there is TLS. */
  readonly flipsRecord?: boolean;
  /** True if the connection stays open. */
  readonly staysOpen?: boolean;
}

/** The faults by name. `answer` is the whole answer of PostgreSQL; `seed` selects the flipped byte. */
export const faults = {
  'a TLS alert': () => ({ raw: true, bytes: Buffer.from([0x15, 3, 3, 0, 2, 2, 80]) }),
  'an HTTP 408': () => ({
    raw: true,
    bytes: Buffer.from('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'),
  }),
  'random bytes': (_, seed) => ({
    raw: true,
    bytes: Buffer.from(Array.from({ length: 64 }, (_, n) => (seed * 7919 + n * n * 104_729 + n * 31) % 256)),
  }),
  'a FATAL without TLS': () => ({ raw: true, bytes: errorMessage('FATAL', '57P01') }),
  'a flipped byte': (answer, seed) => ({ bytes: withFlippedBit(answer, seed), flipsRecord: true }),
  'an unknown message': (answer) => ({
    bytes: Buffer.concat([message('?', 'unknown'), answer]),
    staysOpen: true,
  }),
  'an error XX000': () => ({
    bytes: Buffer.concat([errorMessage('ERROR', 'XX000'), ready]),
    staysOpen: true,
  }),
  'a malformed row': (answer) => ({
    bytes: Buffer.concat([message('D', Buffer.from([0xff, 0xff])), answer]),
    staysOpen: true,
  }),
  'an error without an end': () => ({ bytes: message('E', 'SERROR\0C23505\0Mendless'), staysOpen: true }),
  'an answer without a confirmation': () => ({ bytes: ready, staysOpen: true }),
} satisfies Record<string, (answer: Buffer, seed: number) => Damage>;

export type Fault = keyof typeof faults;
export const faultNames = Object.keys(faults) as Fault[];
/** Flips one bit in the type or the length of a message. */
function withFlippedBit(answer: Buffer, seed: number): Buffer {
  const starts: number[] = [];
  for (let at = 0; at < answer.length; at += 1 + answer.readUInt32BE(at + 1)) starts.push(at);
  const at = (starts[seed % starts.length] ?? 0) + (Math.floor(seed / starts.length) % 5);
  const bytes = Buffer.from(answer);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (seed % 7));
  return bytes;
}

export interface Hurt {
  readonly fault: Fault;
  /** `before`: PostgreSQL does not get the statement. `after`: it executes the statement. */
  readonly when: 'before' | 'after';
  /** The statement, counted from 1, among those that `concerns` accepts. */
  readonly nth: number;
  readonly seed: number;
  /** Accepts the statements of requests and of jobs by default, among them `begin`, `commit` and `rollback`. */
  concerns?(text: string, isOfCall: boolean): boolean;
}

/** A statement that was hurt. */
export interface Hit {
  readonly text: string;
  /** True if the statement, or one before it in the same transaction, can change rows or ends the transaction. */
  readonly mayBeStored: boolean;
}

/** The settings of a new connection. */
const isSetUp = (text: string) => text.includes('set_config');
/**
 * Statements of which one, outside of a transaction, shows that a connection belongs to the pool for background work:
 * that of the queue, the hash chain, the webhooks and the metrics.
 */
const isBackground = (text: string) =>
  /^(listen|with settled)|anagrafe_queue|audit_chain|webhooks|position is null|as overdue/i.test(text);
const reads = /^(begin|select|rollback|set )/;

/**
 * Starts a proxy between a service and PostgreSQL that damages the answer to a chosen statement. With `tls`, the service
 * speaks TLS with the proxy.
 */
export async function startHurtingProxy(databaseUrl: string, { tls = false } = {}) {
  const target = new URL(databaseUrl);
  const certificate = tls ? makeCertificate(makeFolder()) : null;
  const sockets = new Set<Socket>();
  let armed: Hurt | null = null;
  /** The fault of the next connection while it is made. */
  let armedForConnect: Hurt | null = null;
  let seen = 0;
  let hurts = 0;
  let hit: Hit | null = null;

  function targeted(text: string, isOfCall: boolean): Hurt | null {
    if (!(armed?.concerns?.(text, isOfCall) ?? isOfCall)) return null;
    seen++;
    const hurt = armed?.nth === seen ? armed : null;
    if (hurt) armed = null;
    return hurt;
  }

  function handle(near: Socket): void {
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    /** The stream to the service: the socket, or TLS on it. */
    let stream: Duplex = near;
    let flipsRecord = false;
    let waiting: Buffer = Buffer.alloc(0);
    let started = false;
    let text = '';
    const names = new Map<string, string>();
    let isOfBackground = false;
    let transaction: { mayBeStored: boolean } | null = null;
    /** The number of statements that PostgreSQL got, and of those that it has answered. */
    let sent = 0;
    let answered = 0;
    /** Bytes of PostgreSQL that are not a whole message yet. */
    let partial: Buffer = Buffer.alloc(0);
    /** The answer to be damaged, to the statement with this number. */
    let answer: { hurt: Hurt; number: number; bytes: Buffer[] } | null = null;

    function damage(hurt: Hurt, bytes: Buffer): void {
      hurts++;
      const made: Damage = faults[hurt.fault](bytes, hurt.seed);
      if (made.raw) near.write(made.bytes);
      else {
        flipsRecord = (made.flipsRecord ?? false) && stream !== near;
        stream.write(flipsRecord ? bytes : made.bytes);
      }
      if (hurt.when === 'before' || !made.staysOpen) {
        far.destroy();
        near.end();
      }
    }

    far.on('data', (bytes) => {
      if (armedForConnect && started) {
        const hurt = armedForConnect;
        armedForConnect = null;
        damage({ ...hurt, when: 'before' }, bytes);
        return;
      }
      partial = Buffer.concat([partial, bytes]);
      while (partial.length > 4 && partial.length > partial.readUInt32BE(1)) {
        const length = 1 + partial.readUInt32BE(1);
        const whole = partial.subarray(0, length);
        partial = partial.subarray(length);
        const isEnd = whole[0] === ready[0];
        if (answer?.number === answered) answer.bytes.push(whole);
        else if (!far.destroyed) stream.write(whole);
        if (isEnd && answer?.number === answered) {
          const { hurt, bytes: parts } = answer;
          answer = null;
          damage(hurt, Buffer.concat(parts));
        }
        if (isEnd) answered++;
      }
    });

    /** Returns what is done to the answer to a statement. */
    function hurtFor(statement: string): Hurt | null {
      isOfBackground ||= !transaction && isBackground(statement);
      if (statement.startsWith('begin')) transaction = { mayBeStored: false };
      const mayBeStored = transaction !== null && (transaction.mayBeStored || !reads.test(statement));
      if (transaction) transaction = /^(commit|rollback)/.test(statement) ? null : { mayBeStored };
      const hurt = targeted(statement, !isOfBackground && !isSetUp(statement));
      if (hurt) hit = { text: statement, mayBeStored };
      return hurt;
    }

    /** Reads the messages of the service. A statement ends with Sync or is a Query. */
    function onSent(bytes: Buffer): void {
      waiting = Buffer.concat([waiting, bytes]);
      if (!started) {
        started = true;
        far.write(waiting);
        waiting = Buffer.alloc(0);
        return;
      }
      for (let end = 0; ; ) {
        if (waiting.length < end + 5) return;
        const start = end;
        end += 1 + waiting.readUInt32BE(start + 1);
        if (waiting.length < end) return;
        const type = String.fromCharCode(waiting[start] as number);
        const [first = '', second = ''] = waiting.toString('utf8', start + 5, end).split('\0', 2);
        if (type === 'P') {
          text = second;
          names.set(first, second);
        }
        if (type === 'B') text = names.get(second) ?? '';
        if (type === 'Q') text = first;
        if (!'QSpXdcf'.includes(type)) continue;
        const isStatement = type === 'Q' || type === 'S';
        const hurt = isStatement ? hurtFor(text.trimStart()) : null;
        if (isStatement) sent++;
        // The first answer is the end of the start of the connection, so this number is that of the answer too.
        if (hurt?.when === 'after') answer = { hurt, number: sent, bytes: [] };
        if (hurt?.when === 'before') damage(hurt, ready);
        else if (!far.destroyed) far.write(waiting.subarray(0, end));
        waiting = waiting.subarray(end);
        end = 0;
      }
    }

    if (!certificate) {
      near.on('data', onSent);
      return;
    }
    near.once('data', () => {
      near.write('S');
      const wire = new Duplex({
        read() {},
        write(bytes: Buffer, _, done) {
          const sent = Buffer.from(bytes);
          // After the header of five bytes.
          if (flipsRecord) sent[8] = (sent[8] ?? 0) ^ 1;
          flipsRecord = false;
          near.write(sent, () => done());
        },
      });
      near.on('data', (bytes) => wire.push(bytes));
      stream = new TLSSocket(wire as Socket, { isServer: true, ...certificate });
      stream.on('error', () => {});
      stream.on('data', onSent);
    });
  }

  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  if (tls) url.searchParams.set('sslmode', 'no-verify');
  return {
    url: url.href,
    /** Damages the answer to one statement, counted from this moment. */
    arm(hurt: Hurt): void {
      armed = hurt;
      seen = 0;
      hit = null;
    },
    /** Damages what PostgreSQL first sends on the next connection. */
    armConnect(fault: Fault): void {
      armedForConnect = { fault, when: 'before', nth: 1, seed: 0 };
    },
    /** Closes the connections, so that the next statement opens one. */
    closeAll(): void {
      for (const socket of sockets) socket.destroy();
    },
    /** Begins to count the statements of requests. */
    count(): void {
      armed = null;
      seen = 0;
    },
    /** Returns the number of statements since `arm` or `count`. */
    counted: () => seen,
    /** Returns the statement that was hurt since `arm`. */
    hit: () => hit,
    isArmed: () => armed !== null || armedForConnect !== null,
    /** Returns the number of connections that were hurt. */
    hurts: () => hurts,
  };
}

export type HurtingProxy = Awaited<ReturnType<typeof startHurtingProxy>>;
