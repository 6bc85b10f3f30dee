import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { openLog } from '../../server/src/lib/log.ts';
import { startService } from '../../server/src/main.ts';
import { readConfig } from '../../server/src/settings/config.ts';
import { dataParent } from './data-parent.ts';
import './postgres-cluster.ts';
import { prepared } from './prepared.ts';

export interface TestStore {
  readonly settings: Record<string, string>;
  discard(): Promise<void>;
}

/** The master key of every test service on an external database, so that several services can share one. */
export const masterKey = Buffer.alloc(32, 'master key').toString('base64');

/** Creates a database without any table, in the cluster of this test run. */
export async function emptyStore(): Promise<TestStore> {
  return newDatabase();
}

/** Creates a database as a first start of the service leaves it, copied from a template. */
export async function newStore(): Promise<TestStore> {
  // The name contains the port of the cluster: projects that run together share the prepared folder, not the cluster.
  const template = `template_${new URL(inject('postgresUrl')).port}`;
  await prepared(template, async () => {
    await run(`create database ${template}`);
    await startOnce(settingsOf(template));
  });
  // The default strategy writes every page of the copy to the write-ahead log, which takes twice the processor time.
  return newDatabase(`template ${template} strategy file_copy`);
}

/** Creates a data folder for the embedded PostgreSQL, as a first start of the service leaves it. */
export async function newEmbeddedStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(dataParent(), 'anagrafe-test-'));
  await copyStore(folder);
  return {
    settings: { ANAGRAFE_DATA: folder },
    discard: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Fills a folder with the data that a service leaves after its first start and stop. */
export async function copyStore(folder: string): Promise<void> {
  const made = await prepared('embedded', (first) => startOnce({ ANAGRAFE_DATA: first }));
  // -a keeps the owners: PostgreSQL refuses a cluster that belongs to another user.
  execFileSync('cp', ['-a', `${made}/.`, folder]);
}

async function startOnce(settings: Record<string, string>): Promise<void> {
  const config = readConfig({ ANAGRAFE_PORT: '0', ...settings });
  const service = await startService(config, openLog('fatal'), null);
  await service.stop();
}

async function newDatabase(options = ''): Promise<TestStore> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(`create database ${name} ${options}`);
  return {
    settings: settingsOf(name),
    discard: () => run(`drop database ${name} with (force)`),
  };
}

function settingsOf(database: string): Record<string, string> {
  return { ANAGRAFE_DATABASE_URL: `${inject('postgresUrl')}/${database}`, ANAGRAFE_MASTER_KEY: masterKey };
}

async function run(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
