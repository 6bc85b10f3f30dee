// Replaces the service in tests: starts or visits the embedded PostgreSQL, reports the result as one line of JSON, and
// then executes the commands `log` and `stop` from stdin.
// Arguments: the path of the compiled module, 'open' or 'visit', the data folder.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , module, way, dataFolder] = process.argv;
const report = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const { startEmbeddedPostgres, visitEmbeddedPostgres } = await import(pathToFileURL(module).href);
const logged = [];

try {
  const start = way === 'open' ? startEmbeddedPostgres : visitEmbeddedPostgres;
  const engine = await start({ dataFolder, log: (message) => logged.push(message) });
  report({ connection: engine.connection, adopted: engine.adopted });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'stop') break;
    if (line === 'log') report({ logged });
  }
  await engine.stop();
  await engine.stop();
  report({ stopped: true });
  process.exit(0);
} catch (error) {
  report({ error: error.name, message: error.message });
  process.exit(1);
}
