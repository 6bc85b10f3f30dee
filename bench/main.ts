import { answers } from './answers.ts';
import { firstLoad } from './console.ts';
import { eventLoop } from './event-loop.ts';
import { growth } from './growth.ts';
import { importing } from './import.ts';
import { interactive } from './interactive.ts';
import { invite } from './invite.ts';
import { limited } from './limited.ts';
import { nodes } from './nodes.ts';
import { overload } from './overload.ts';
import { peers } from './peers.ts';
import { register } from './register.ts';
import { removal } from './removal.ts';
import { reset } from './reset.ts';
import { type AtEnd, withEndings } from './running/endings.ts';
import { scale } from './scale.ts';
import { store } from './store.ts';
import { sync } from './sync.ts';

interface Benchmark {
  /** Returns one line with a ratio that it measured in one run; `answers` returns a table. */
  readonly run: (atEnd: AtEnd, interruption: AbortSignal) => Promise<string>;
  readonly measures: string;
  /** The usual duration on two cores. */
  readonly minutes: number;
}

const benchmarks: Record<string, Benchmark> = {
  register: { run: register, measures: 'registrations, beside bare hashing', minutes: 3 },
  reset: { run: reset, measures: 'password resets, beside bare hashing', minutes: 3 },
  invite: { run: invite, measures: 'invitations, beside registrations with passwords', minutes: 3 },
  store: { run: store, measures: 'writes of hashed users, beside COPY', minutes: 2 },
  interactive: { run: interactive, measures: 'single resets while a job runs', minutes: 3 },
  growth: { run: growth, measures: 'calls with 1,000,000 users stored, beside 1,000', minutes: 3 },
  limited: {
    run: limited,
    measures: 'calls of clients that see a part, beside one that sees all',
    minutes: 3,
  },
  sync: {
    run: sync,
    measures: 'an upsert of 100,000 users of which 200 differ, beside their first load',
    minutes: 2,
  },
  removal: { run: removal, measures: 'the deletion of 1,000,000 users, beside one DELETE', minutes: 4 },
  import: { run: importing, measures: 'the import of 1,000,000 rows, beside COPY', minutes: 6 },
  overload: { run: overload, measures: 'registrations under 5 and 10 times the load', minutes: 3 },
  scale: { run: scale, measures: 'jobs whose passwords take no time to hash', minutes: 2 },
  nodes: { run: nodes, measures: 'a job on two nodes, beside one', minutes: 2 },
  'event-loop': { run: eventLoop, measures: 'how long large bodies hold the event loop', minutes: 4 },
  answers: { run: answers, measures: 'the largest answer of each call', minutes: 4 },
  console: { run: firstLoad, measures: 'the first load of the console', minutes: 1 },
  peers: { run: peers, measures: 'the same call to Directus and Better Auth', minutes: 6 },
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}"; there are: ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(1);
}
const names = wanted.length > 0 ? wanted : Object.keys(benchmarks);
for (const [index, name] of names.entries()) {
  const benchmark = benchmarks[name];
  if (!benchmark) continue;
  const start = performance.now();
  // Progress goes to stderr, so that the results can be piped.
  console.error(
    `[${index + 1}/${names.length}] ${name}: ${benchmark.measures}, about ${benchmark.minutes} min …`,
  );
  console.log(await withEndings(benchmark.run));
  console.error(
    `[${index + 1}/${names.length}] ${name} took ${Math.round((performance.now() - start) / 1000)} s`,
  );
}
