import { join } from 'node:path';
import pg from 'pg';
import type { AtEnd } from './endings.ts';
import type { MeasuredService } from './service.ts';

/** Connects to the embedded PostgreSQL of a running service. */
export async function connectTo({ folder }: MeasuredService, atEnd: AtEnd): Promise<pg.Client> {
  const client = new pg.Client({ host: join(folder, 'run'), user: 'anagrafe', database: 'anagrafe' });
  atEnd(() => client.end());
  await client.connect();
  return client;
}
