import { operatorActor } from '../../server/src/audit/audit-log.ts';
import { openClientStore } from '../../server/src/clients/clients.store.ts';
import { createClient, type NewClient } from '../../server/src/clients/clients.ts';
import type { Answer, TestService } from './service.ts';

export type Credential = Record<string, string>;

/** Creates an API client, with the scope `admin` unless `options` names others, and returns its request headers. */
export async function credential(
  service: TestService,
  options: Partial<NewClient> = {},
): Promise<Credential> {
  const defaults = { name: 'office', scopes: ['admin'], networks: [], knownByAddress: false } as const;
  const { client, secret } = await createClient(
    { ...defaults, ...options },
    openClientStore(service.database),
    operatorActor,
  );
  return { SyncPublicKey: client.publicKey, SyncSecretKey: secret };
}

/** Returns a function that calls `/admin/v1`, such as `admin('POST clients', credential, body)`. */
export function adminOf({ url }: TestService) {
  return async <Item = Record<string, unknown>>(
    methodAndPath: string,
    headers: Credential,
    body?: unknown,
  ): Promise<Answer<Item>> => {
    const [method = '', path = ''] = methodAndPath.split(' ');
    const response = await fetch(`${url}/admin/v1/${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
}

export function recordOf<Found = Record<string, unknown>>({ body }: Pick<Answer<unknown>, 'body'>): Found {
  return body.result?.record as Found;
}

/** Every method and path of `/admin/v1`, with IDs that do not exist. */
export const adminCalls = [
  'GET clients',
  'POST clients',
  'POST clients/agp_nobody/rotate',
  'PATCH clients/agp_nobody',
  'DELETE clients/agp_nobody',
  'GET calls',
  'GET calls/00000000-0000-0000-0000-000000000000',
  'GET calls/00000000-0000-0000-0000-000000000000/failed',
  'GET failures',
  'GET jobs',
  'GET mails',
  'POST mails/resend',
  'GET runs',
  'GET runs/00000000-0000-0000-0000-000000000000',
  'POST runs/00000000-0000-0000-0000-000000000000/undo',
  'GET audit/1/changes',
  'GET audit',
  'GET audit/verify',
  'GET health',
  'GET webhooks',
  'POST webhooks',
  'PATCH webhooks/999',
  'DELETE webhooks/999',
  'POST webhooks/999/test',
  'POST webhooks/999/rotate',
  'GET webhooks/999/deliveries',
  'GET webhooks/999/deliveries/00000000-0000-0000-0000-000000000000',
  'POST webhooks/999/replay',
  'POST webhooks/999/deliveries/00000000-0000-0000-0000-000000000000/replay',
  'GET statistics',
  'GET users/999999/sessions',
  'DELETE users/999999/sessions',
  'DELETE users/999999/sessions/00000000-0000-0000-0000-000000000000',
  'GET settings',
  'GET operators',
  'POST operators',
  'PATCH operators/999',
  'POST operators/999/reset',
  'GET operators/999/sessions',
  'DELETE operators/999/sessions',
  'DELETE operators/999/sessions/00000000-0000-0000-0000-000000000000',
] as const;
