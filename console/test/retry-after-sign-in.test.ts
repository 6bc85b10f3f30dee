import { ApiError } from '@anagrafe/client';
import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';

// The modules of the console read these when they are loaded, and are compiled for a browser.
vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
const load = (name: string) => import(new URL(`../src/features/session/${name}`, import.meta.url).pathname);
const { retryAfterSignIn } = await load('retry-after-sign-in.ts');
const { ClientSession, sessionKey } = await load('session.ts');

const account = { Client: { PublicKey: 'office', Name: 'office' }, Operator: null, Permissions: [] };
const ended = () => Object.assign(Object.create(ApiError.prototype), { status: 401 });

function start() {
  const queries = new QueryClient();
  const clientSession = new ClientSession(account);
  queries.setQueryData(sessionKey, { State: 'signed-in', ...account, ExpiresAt: null, clientSession });
  return { queries, clientSession };
}

describe('an action that is repeated after a sign-in', () => {
  it('fails if the client has signed out before the response that reports the end of its session', async () => {
    const { queries, clientSession } = start();
    const action = vi.fn(async () => {
      clientSession.end.abort();
      throw ended();
    });
    await expect(retryAfterSignIn(queries, action)).rejects.toMatchObject({ name: 'AbortError' });
    expect(action).toHaveBeenCalledOnce();
  });

  it('runs again once the same client has signed in', async () => {
    const { queries, clientSession } = start();
    const action = vi.fn(async () => 'done').mockRejectedValueOnce(ended());
    const result = retryAfterSignIn(queries, action);
    await vi.waitFor(() => expect(queries.getQueryData(sessionKey)).toMatchObject({ State: 'signed-out' }));
    queries.setQueryData(sessionKey, { State: 'signed-in', ...account, ExpiresAt: null, clientSession });
    await expect(result).resolves.toBe('done');
    expect(action).toHaveBeenCalledTimes(2);
  });
});
