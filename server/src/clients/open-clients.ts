import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { isLoopback } from '../lib/network.ts';
import { commandLine } from '../lib/operator-error.ts';
import { readKeyPair } from '../lib/secrets.ts';
import { type Config, ConfigError, prefix } from '../settings/config.ts';
import type { AccessStore } from './access.ts';
import { openAccess, openClientStore } from './clients.store.ts';
import { type ClientStore, ensureFirstClient } from './clients.ts';
import type { ConsoleStore } from './console-session.ts';
import { openConsoleSessions } from './console-sessions.store.ts';

export interface Clients {
  readonly store: ClientStore;
  readonly access: AccessStore;
  readonly consoleSessions: ConsoleStore;
  readonly keysAtConsole: boolean;
  /** True if there was no API client at the start. */
  readonly protectedMode: boolean;
}

interface ClientParts {
  readonly database: Database;
  /** The pool of authentication and console sessions. */
  readonly front: Database;
  readonly config: Config;
  readonly log: Logger;
}

/**
 * Opens the API clients, and creates the one of `ANAGRAFE_FIRST_CLIENT`.
 *
 * @throws {ConfigError} if there is no client, and the service would listen on an address that others can reach.
 */
export async function openClients({ database, front, config, log }: ClientParts): Promise<Clients> {
  const store = openClientStore(database);
  const limits = { idleMinutes: config.CONSOLE_IDLE_MINUTES, secondFactor: config.REQUIRE_SECOND_FACTOR };
  const access = openAccess(front, limits);
  const pair = config.FIRST_CLIENT === null ? null : readKeyPair(config.FIRST_CLIENT);
  const first = pair && (await ensureFirstClient(pair, store, access));
  if (first === 'created') log.info(`created the API client of ${prefix}FIRST_CLIENT`);
  if (first === 'ignored')
    log.warn(`${prefix}FIRST_CLIENT is ignored: other API clients exist, and it is not an active client`);
  const protectedMode = !(await access.hasClients());
  if (protectedMode && !isLoopback(config.HOST) && config.HOST !== 'localhost')
    throw new ConfigError(
      `${prefix}HOST is ${config.HOST}, but there is no API client yet, so anyone could call the service. ` +
        `Create one first (${commandLine('client create --name erp')}), or set ${prefix}FIRST_CLIENT.`,
    );
  const consoleSessions = openConsoleSessions(front, limits);
  return { store, access, consoleSessions, keysAtConsole: config.CONSOLE_KEYS, protectedMode };
}
