import { createClient, type NewClient } from '../../src/core/access/clients.ts';
import { openClients } from '../../src/storage/clients.ts';
import type { Answer, TestService } from './service.ts';

export type Credential = Record<string, string>;

/** The headers of a new client; of scope `admin` where nothing else is said. */
export async function credential(service: TestService, wish: Partial<NewClient> = {}): Promise<Credential> {
  const whole = { name: 'office', scopes: ['admin'], networks: [], knownByAddress: false, ...wish } as const;
  const { client, secret } = await createClient(whole, openClients(service.database));
  return { SyncPublicKey: client.publicKey, SyncSecretKey: secret };
}

/** `admin('POST clients', credential, body)`: a call of `/admin/v1`. */
export function adminOf({ url }: TestService) {
  return async <Item = Record<string, unknown>>(
    what: string,
    headers: Credential,
    body?: unknown,
  ): Promise<Answer<Item>> => {
    const [method = '', path = ''] = what.split(' ');
    const response = await fetch(`${url}/admin/v1/${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
}

export function recordOf<Found = Record<string, unknown>>({ body }: Answer<unknown>): Found {
  return body.result?.record as Found;
}

/** Every call of `/admin/v1`. */
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
  'GET audit',
  'GET audit/verify',
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
] as const;
