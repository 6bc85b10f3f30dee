import type { Config } from '../../config.ts';
import { type EngineState, inspectEngine } from '../../engine/inspection.ts';
import { openStore } from '../../store.ts';
import { examineDataFolder } from './data-folder.ts';
import { examineDatabase } from './database.ts';
import { type Finding, failure, ok, warn } from './finding.ts';

const connectMs = 15_000;

/** The folder, the engine under the store, and what is in it, as far as one is there to be looked at. */
export async function* examineStore(
  config: Config,
  { withKey }: { withKey: boolean },
): AsyncGenerator<Finding> {
  if (config.DATABASE_URL === null) {
    const places = await examineDataFolder(config.DATA);
    yield* places;
    // What cannot be written to is not to be started.
    if (places.some(({ state }) => state === 'fail')) return;
    const engine = await inspectEngine(config.DATA).catch((error) =>
      failure('engine', error, 'Mend it, and look again.'),
    );
    if ('check' in engine) return yield engine;
    yield describe(engine);
    if (engine.cluster === 'none' || engine.cluster === 'broken off') return;
  }
  try {
    const store = await openStore(config, { as: 'visitor', log: () => {}, connectMs });
    try {
      await store.refuseTransactionPooling();
      yield* examineDatabase(store.database, config, { withKey });
    } finally {
      await store.close();
    }
  } catch (error) {
    yield failure('database', error, 'Check the role and the database that ANAGRAFE_DATABASE_URL names.');
  }
}

const clusters: Record<EngineState['cluster'], (state: EngineState) => string> = {
  none: () => 'its data is made by the first start',
  running: ({ pid }) => `it runs (process ${pid})`,
  stopped: () => 'it does not run now',
  'broken off': () => 'it was ended without being stopped',
};

function describe(state: EngineState): Finding {
  const programs = state.ready ? '' : '; its programs are set up by the first start';
  const found = `the embedded PostgreSQL ${state.major} (package ${state.version}), as user ${state.owner}; ${clusters[state.cluster](state)}${programs}`;
  if (state.cluster !== 'broken off') return ok('engine', found);
  return warn('engine', found, 'Start the service: it recovers by itself. Then look again.');
}
