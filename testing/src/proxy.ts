import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterTest } from './endings.ts';

/** Starts a TCP proxy between a service and PostgreSQL that can drop answers and close connections. */
export async function startProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let muted = false;
  let lastWords: string | null = null;
  const server = createServer((inside) => {
    const outside = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => {
        if (from === inside && lastWords !== null && data.includes(lastWords)) muted = true;
        if (from === inside || !muted) to.write(data);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  const port = await listen(0);
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  afterTest(cut);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    /** Drops the answers of PostgreSQL, which still receives the statements of the service. */
    mute() {
      muted = true;
    },
    /** Drops the answers from when the service sends this text. */
    muteAt(text: string) {
      lastWords = text;
    },
    /** Closes all connections and refuses new ones. */
    cut,
    async restore(): Promise<void> {
      muted = false;
      await listen(port);
    },
  };
}
