import { register } from './register.ts';

/** Each gives one line with a ratio that was measured in one run. */
const benchmarks: Record<string, () => Promise<string>> = { register };

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}"; there are: ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(1);
}
for (const name of wanted.length > 0 ? wanted : Object.keys(benchmarks))
  console.log(await benchmarks[name]?.());
