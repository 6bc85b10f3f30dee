import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/log.ts';
import { startService } from '../../src/main.ts';
import './outside-cluster.ts';
import { prepared } from './prepared.ts';

export interface TestStore {
  readonly settings: Record<string, string>;
  discard(): Promise<void>;
}

/** Of every service that the tests put on an outside database, so that several can share one. */
export const masterKey = Buffer.alloc(32, 'master key').toString('base64');
const template = 'anagrafe_prepared';

/** A store in which there is nothing at all, on the engine that this run is about. It goes with the test file. */
export async function emptyStore(): Promise<TestStore> {
  return inject('store') === 'outside' ? outsideStore() : embeddedStore();
}

/** A store as a service has it that was just started for the first time: a copy of one that was. */
export async function newStore(): Promise<TestStore> {
  if (inject('store') === 'outside') {
    await prepared('outside', async () => {
      await run(`create database ${template}`);
      await startOnce(outsideSettings(template));
    });
    return outsideStore(`template ${template}`);
  }
  const store = embeddedStore();
  await copyStore(store.folder);
  return store;
}

/** Puts into a folder what a service leaves there that was started and stopped once. */
export async function copyStore(folder: string): Promise<void> {
  const made = await prepared('embedded', (first) => startOnce({ ANAGRAFE_DATA: first }));
  // With its owners, among whom is the user that PostgreSQL runs as.
  execFileSync('cp', ['-a', `${made}/.`, folder]);
}

async function startOnce(settings: Record<string, string>): Promise<void> {
  const config = readConfig({ ANAGRAFE_PORT: '0', ...settings });
  const service = await startService(config, openLog('fatal'), null);
  await service.stop();
}

function embeddedStore(): TestStore & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-test-'));
  return {
    folder,
    settings: { ANAGRAFE_DATA: folder },
    discard: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function outsideStore(like = ''): Promise<TestStore> {
  const name = `anagrafe_${randomBytes(6).toString('hex')}`;
  await run(`create database ${name} ${like}`);
  return {
    settings: outsideSettings(name),
    discard: () => run(`drop database ${name} with (force)`),
  };
}

function outsideSettings(name: string): Record<string, string> {
  return { ANAGRAFE_DATABASE_URL: `${inject('outsideUrl')}/${name}`, ANAGRAFE_MASTER_KEY: masterKey };
}

async function run(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${inject('outsideUrl')}/postgres` });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
