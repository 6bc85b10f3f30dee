import { newStore, type TestStore } from '@anagrafe/testing/store';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { openLog } from '../../src/lib/log.ts';
import { newSecret } from '../../src/lib/secrets.ts';
import { type Service, startService } from '../../src/main.ts';
import { ConfigError, readConfig } from '../../src/settings/config.ts';
import { openStore } from '../../src/store.ts';

type Settings = Record<string, string>;

const given = { publicKey: 'deployment', secret: newSecret() };
const pair = `${given.publicKey}.${given.secret}`;

let store: TestStore;
let log: string[];

beforeEach(async () => {
  store = await newStore();
  log = [];
  onTestFinished(store.discard);
});

/** Starts the service on the store of the test, calls `use`, and stops the service. */
async function during<Result>(
  settings: Settings,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const config = readConfig({ ANAGRAFE_PORT: '0', ...store.settings, ...settings });
  const service = await startService(config, openLog(config.LOG_LEVEL, { write: (line) => log.push(line) }));
  return use(service).finally(() => service.stop());
}

async function status({ url }: Service, authorization?: string): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  const path = new URL('/api/sync/v1/irs/insert', url.replace('0.0.0.0', '127.0.0.1'));
  const body = '[{"Denomination":"First"}]';
  return (await fetch(path, { method: 'POST', headers, body })).status;
}

async function clientsOf() {
  const opened = await openStore(readConfig(store.settings), { mode: 'create', log: () => {} });
  try {
    return await openClientStore(opened.database).listClients();
  } finally {
    await opened.close();
  }
}

describe('ANAGRAFE_HOST while no API client exists', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'example.com', '127.0.0.1.evil.com', '0'])(
    'is refused with instructions if it is not a loopback address: %s',
    async (host) => {
      const start = during({ ANAGRAFE_HOST: host }, async () => {});
      await expect(start).rejects.toThrow(ConfigError);
      await expect(start).rejects.toThrow(
        new RegExp(
          `^ANAGRAFE_HOST is ${host.replaceAll('.', '\\.')}, but there is no API client yet.*` +
            'npx --no -- anagrafe client create --name erp.*ANAGRAFE_FIRST_CLIENT',
        ),
      );
      await expect(start).rejects.toThrow(/^[^\n]+$/);
    },
  );

  it('may be a loopback address', async () => {
    for (const host of ['127.0.0.1', '127.0.0.8', 'localhost']) {
      expect(await during({ ANAGRAFE_HOST: host }, status)).toBe(200);
    }
  });
});

describe('ANAGRAFE_FIRST_CLIENT', () => {
  it.each([
    'deployment',
    'deployment.',
    `.${given.secret}`,
    'deployment.short-secret',
    `deployment ${given.secret}`,
    `deploy ment.${given.secret}`,
    `deployment.${'secret with a space and more than thirty-two'}`,
    `deployment.${given.secret.slice(0, -1)}${given.secret.endsWith('0') ? '1' : '0'}`,
    `deployment.${given.secret}\n`,
  ])('is refused if it is not a valid pair, and the message does not contain it (case %#)', (value) => {
    const read = () => readConfig({ ANAGRAFE_FIRST_CLIENT: value });
    expect(read).toThrow(ConfigError);
    const message = caught(read).message;
    expect(message).toMatch(/^ANAGRAFE_FIRST_CLIENT is invalid\. Expected <public>\.<secret>/);
    expect(message).not.toContain('deploy');
    expect(message).not.toContain(given.secret.slice(4, 12));
    expect(message).not.toContain('short-secret');
  });

  it('creates an admin client, so that the service may listen on any address, and logs no secret', async () => {
    const settings = { ANAGRAFE_FIRST_CLIENT: pair, ANAGRAFE_HOST: '0.0.0.0' };
    await during(settings, async (service) => {
      expect(service.protectedMode).toBe(false);
      expect(await status(service)).toBe(401);
      expect(await status(service, `Bearer ${pair}`)).toBe(200);
    });
    expect(log.join('')).toContain('created the API client of ANAGRAFE_FIRST_CLIENT');
    expect(log.join('')).not.toContain(given.secret.slice(4, 20));
    const [first, ...others] = await clientsOf();
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      publicKey: 'deployment',
      scopes: ['admin'],
      networks: [],
      revokedAt: null,
    });
  });

  it('has no effect on later starts, with the same pair, another one or none', async () => {
    await during({ ANAGRAFE_FIRST_CLIENT: pair }, async () => {});
    const before = await clientsOf();
    const other = `other-deployment.${newSecret()}`;
    for (const settings of [{ ANAGRAFE_FIRST_CLIENT: pair }, { ANAGRAFE_FIRST_CLIENT: other }, {}]) {
      await during({ ...settings, ANAGRAFE_HOST: '0.0.0.0' } as Settings, async (service) => {
        expect(await status(service, `Bearer ${pair}`)).toBe(200);
        expect(await status(service, `Bearer ${other}`)).toBe(401);
      });
    }
    expect(await clientsOf()).toEqual(before);
    expect(log.join('').match(/created the API client of ANAGRAFE_FIRST_CLIENT/g)).toHaveLength(1);
  });

  it('does not create its client again after that was revoked', async () => {
    await during({ ANAGRAFE_FIRST_CLIENT: pair }, async () => {});
    const opened = await openStore(readConfig(store.settings), { mode: 'existing', log: () => {} });
    await openClientStore(opened.database).revokeClient('deployment', operatorActor);
    await opened.close();
    await during({ ANAGRAFE_FIRST_CLIENT: pair, ANAGRAFE_HOST: '0.0.0.0' }, async (service) => {
      expect(await status(service, `Bearer ${pair}`)).toBe(401);
      expect(await status(service)).toBe(401);
    });
  });
});

function caught(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
