import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { importedHash } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { Webhook } from 'standardwebhooks';
import { build, type Rolldown } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../../server/src/webhooks/webhook.ts';
import type * as Client from '../../src/index.ts';

let service: TestService;
let bundle: string;

beforeAll(async () => {
  service = await startTestService();
  const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
  const [built] = (await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, lib: { entry, name: 'client', formats: ['iife'] } },
  })) as Rolldown.RolldownOutput[];
  const [chunk] = built?.output ?? [];
  bundle = chunk?.code ?? '';
});

/** The globals that the client may use: every browser has them. */
const web = {
  AbortController,
  AbortSignal,
  Headers,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
  clearTimeout,
  crypto,
  fetch,
  setTimeout,
};

function inBrowser(globals: Record<string, unknown>): typeof Client {
  const context = createContext({ ...globals });
  runInContext(`${bundle}; globalThis.exported = client;`, context);
  return context.exported;
}

describe('the client in a browser', () => {
  it('works without any Node.js API', async () => {
    const { Anagrafe, verifyWebhook } = inBrowser(web);
    const [principal = 0] = await insertPrincipals(service, 1);
    const anagrafe = new Anagrafe({ url: service.url, credentials: 'same-origin' });
    await anagrafe.register(principal, [{ Username: 'in a browser', PasswordHash: importedHash }]);
    const names: string[] = [];
    for await (const { Username } of anagrafe.users()) names.push(Username);
    expect(names).toEqual(['in a browser']);
    const { ID } = await anagrafe.jobs.submit('state', [{ ID: principal, State: 'disabled' }]);
    expect(await anagrafe.jobs.wait(ID, { pollMs: 20 })).toMatchObject({ State: 'completed' });

    const secret = newWebhookSecret();
    const [id, now, body] = ['msg_1', new Date(), '{"type":"user.registered"}'];
    const headers = new Headers({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    });
    expect(await verifyWebhook(body, headers, secret)).toMatchObject({ type: 'user.registered' });
  });

  it('calls fetch without a this value, as browsers require', async () => {
    const { Anagrafe } = inBrowser(web);
    async function own(this: unknown, url: string, init: RequestInit) {
      if (this !== undefined) throw new TypeError('Illegal invocation');
      return fetch(url, init);
    }
    const anagrafe = new Anagrafe({ url: service.url, fetch: own, retries: 0 });
    expect(await anagrafe.admin.statistics()).toMatchObject({ Principals: expect.any(Number) });
  });

  it('can write without a secure context', async () => {
    const { getRandomValues } = crypto;
    const { Anagrafe } = inBrowser({
      ...web,
      crypto: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => getRandomValues.call(crypto, bytes) },
    });
    const anagrafe = new Anagrafe({ url: service.url });
    expect(await anagrafe.insert([{ Denomination: 'Plain Srl' }])).toMatchObject({ status: 200 });
  });
});
