import { join } from 'node:path';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { makeFolder } from '../engine/harness.ts';
import { afterTest } from '../setup/endings.ts';

/** A PostgreSQL that is not the service's: it goes and comes as the test wants. */
export async function startOutside() {
  const dataFolder = join(makeFolder(), 'data');
  let engine: Engine = await openEngine({ dataFolder });
  afterTest(() => engine.stop());
  const { host, user, database } = engine.connection;
  const url = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host ?? '')}`;
  return {
    dataFolder,
    url,
    stop: () => engine.stop(),
    async start() {
      engine = await openEngine({ dataFolder });
    },
  };
}
