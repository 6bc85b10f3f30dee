// A stand-in for the service: opens or visits the engine, says how it went in one line of JSON, and stops when told to.
// Arguments: the compiled engine module, 'open' or 'visit', the data folder.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , module, way, dataFolder] = process.argv;
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const { openEngine, visitEngine } = await import(pathToFileURL(module).href);
const logged = [];

try {
  const start = way === 'open' ? openEngine : visitEngine;
  const engine = await start({ dataFolder, log: (message) => logged.push(message) });
  say({ connection: engine.connection, adopted: engine.adopted });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'stop') break;
    if (line === 'log') say({ logged });
  }
  await engine.stop();
  await engine.stop();
  say({ stopped: true });
  process.exit(0);
} catch (error) {
  say({ error: error.name, message: error.message });
  process.exit(1);
}
