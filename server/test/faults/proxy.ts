import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between a service and a PostgreSQL on a Unix socket, and lets through what the test wants. */
export async function startProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const path = `${target.searchParams.get('host')}/.s.PGSQL.5432`;
  const sockets = new Set<Socket>();
  let muted = false;
  const server = createServer((inside) => {
    const outside = connect(path);
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => {
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
  onTestFinished(cut);
  return {
    url: `postgres://${target.username}@127.0.0.1:${port}${target.pathname}`,
    /** From now on the database hears what the service says, and the service hears nothing. */
    mute() {
      muted = true;
    },
    /** Breaks all connections and takes no new ones. */
    cut,
    async restore(): Promise<void> {
      muted = false;
      await listen(port);
    },
  };
}
