import { request } from 'undici';
import type { Database } from '../../server/src/db/database.ts';
import type { Envelope } from '../../server/src/http/envelope.ts';
import { openLog } from '../../server/src/lib/log.ts';
import { type Service, startService } from '../../server/src/main.ts';
import type { Tuple } from '../../server/src/records/read/tuple.ts';
import { type Config, readConfig } from '../../server/src/settings/config.ts';
import { openStore, type Store } from '../../server/src/store.ts';
import { afterUse } from './endings.ts';
import { emptyStore, masterKey, newEmbeddedStore, newStore, type TestStore } from './store.ts';

export interface Answer<Item = Tuple> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Envelope<Item>;
}

export interface TestService {
  readonly url: string;
  readonly config: Config;
  /** Connections of the test to the service's database, to read what the API does not show. */
  readonly database: Database;
  /** Every line that the service has logged, as JSON. */
  readonly log: readonly string[];
  /** Sends a JSON body by POST to a path below `/api/sync/v1`: `call('irs/update', [...])`. */
  call<Item = Tuple>(path: string, body: unknown, init?: RequestInit): Promise<Answer<Item>>;
  stop(): Promise<void>;
}

interface TestServiceOptions {
  readonly consoleFolder?: string | null;
  /**
   * Runs on the embedded PostgreSQL, in the folder of the setting ANAGRAFE_DATA or in one of its own; otherwise on a
   * database of the shared cluster.
   */
  readonly embedded?: boolean;
}

/** One hash thread per service, because several test files share the machine. */
const testDefaults = { ANAGRAFE_PORT: '0', ANAGRAFE_HASH_CONCURRENCY: '1' };
/** argon2id at a fortieth of the lowest cost that the settings allow. */
const cheapHashing = { HASH_MEMORY_KIB: 1024, HASH_PASSES: 1 };

/**
 * Starts the real service on a new database and a free port; it is stopped and its data deleted when the test
 * ends that has started it, or else the test file: a running service polls its database. With the setting
 * ANAGRAFE_DATABASE_URL it runs on that database, which is not deleted. Passwords are hashed cheaply unless the settings name a hashing cost.
 */
export async function startTestService(
  settings: Record<string, string> = {},
  { consoleFolder = null, embedded = false }: TestServiceOptions = {},
): Promise<TestService> {
  const store = await storeFor(settings, embedded);
  const requested = readConfig({ ...testDefaults, ...store.settings, ...settings });
  const hasCost = 'ANAGRAFE_HASH_MEMORY_KIB' in settings || 'ANAGRAFE_HASH_PASSES' in settings;
  const config = hasCost ? requested : { ...requested, ...cheapHashing };
  const log: string[] = [];
  let service: Service | undefined;
  let ownStore: Store | undefined;
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    await ownStore?.close();
    await service?.stop();
    await store.discard();
  }
  const stopOnce = () => (stopped ??= stop());
  afterUse(stopOnce);

  const logger = openLog(config.LOG_LEVEL, { write: (line) => log.push(line) });
  service = await startService(config, logger, consoleFolder);
  ownStore = await openStore(config, { mode: 'existing', log: () => {} });
  const { url } = service;
  return {
    url,
    config,
    database: ownStore.database,
    log,
    call: (path, body, init = {}) => send(`${url}/api/sync/v1/${path}`, body, init),
    stop: stopOnce,
  };
}

async function storeFor(settings: Record<string, string>, embedded: boolean): Promise<TestStore> {
  if (settings.ANAGRAFE_DATABASE_URL !== undefined)
    return { settings: { ANAGRAFE_MASTER_KEY: masterKey }, discard: async () => {} };
  if (embedded && settings.ANAGRAFE_DATA !== undefined) return { settings: {}, discard: async () => {} };
  if (embedded) return newEmbeddedStore();
  // A copied database belongs to the master key of its template.
  const otherKey = (settings.ANAGRAFE_MASTER_KEY ?? masterKey) !== masterKey;
  return otherKey ? emptyStore() : newStore();
}

async function send<Item>(url: string, body: unknown, init: RequestInit): Promise<Answer<Item>> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Sends a GET request and returns the body as text, whatever its content type. */
export async function getText({ url }: TestService, path: string, headers: Record<string, string> = {}) {
  const answer = await request(url + path, { headers });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** A valid registration, with fields of `more` added or replaced. */
export function newUser(Username: string, more: Record<string, unknown> = {}) {
  return { Username, Password: 'correct horse battery', ConfirmPassword: 'correct horse battery', ...more };
}

/** Inserts principals and returns their IDs. */
export async function insertPrincipals(service: TestService, count: number): Promise<number[]> {
  const records = Array.from({ length: count }, (_, n) => ({ Denomination: `Principal ${n + 1}` }));
  const { body } = await service.call('irs/insert', records);
  return (body.result?.records ?? []).map((tuple) => tuple.Item1 ?? 0);
}
