// Writes the OpenAPI document and the schema of the database, which are committed, from a running service.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '../server/dist/lib/log.js';
import { startService } from '../server/dist/main.js';
import { readConfig } from '../server/dist/settings/config.js';
import { openStore } from '../server/dist/store.js';
import { describeSchema } from './describe-schema.mjs';

const root = new URL('../', import.meta.url);
const write = (path, text) => writeFileSync(new URL(path, root), text);

const folder = mkdtempSync(join(tmpdir(), 'anagrafe-generate-'));
const config = readConfig({ ANAGRAFE_DATA: folder, ANAGRAFE_PORT: '0' });
const service = await startService(config, openLog('silent'));
const store = await openStore(config, { mode: 'existing', log: () => {} });
try {
  const openapi = await (await fetch(`${service.url}/openapi.json`)).json();
  write('server/openapi.json', `${JSON.stringify(openapi, null, 2)}\n`);
  write('server/schema.sql', await describeSchema(store.database));
} finally {
  await store.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
