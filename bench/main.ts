import { answers } from './answers.ts';
import { firstLoad } from './console.ts';
import { eventLoop } from './event-loop.ts';
import { growth } from './growth.ts';
import { interactive } from './interactive.ts';
import { nodes } from './nodes.ts';
import { peers } from './peers.ts';
import { register } from './register.ts';
import { reset } from './reset.ts';
import { type AtEnd, withEndings } from './running/endings.ts';
import { store } from './store.ts';

/** Each benchmark returns one line with a ratio that it measured in one run; `answers` returns a table. */
const benchmarks: Record<string, (atEnd: AtEnd, interruption: AbortSignal) => Promise<string>> = {
  register,
  reset,
  store,
  interactive,
  growth,
  nodes,
  'event-loop': eventLoop,
  answers,
  console: firstLoad,
  peers,
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}"; there are: ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(1);
}
for (const name of wanted.length > 0 ? wanted : Object.keys(benchmarks)) {
  const benchmark = benchmarks[name];
  if (benchmark) console.log(await withEndings(benchmark));
}
