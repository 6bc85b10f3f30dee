import { request } from 'undici';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Credential } from './admin.ts';
import type { TestService } from './service.ts';

type Headers = Record<string, string>;
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'HEAD';

export interface BrowserAnswer {
  readonly status: number;
  readonly cookie: string | undefined;
  readonly text: string;
  readonly body: Envelope;
}

/** What a page of the console shows of itself. */
export const ownPage = { 'sec-fetch-site': 'same-origin' };

/** `browse('POST /console/session', headers, body)`: with these headers and no others. */
export function browserOf({ url }: TestService) {
  return async (what: string, headers: Headers = {}, body?: unknown): Promise<BrowserAnswer> => {
    const [method = '', path = ''] = what.split(' ');
    const answer = await request(url + path, {
      method: method as Method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const cookie = answer.headers['set-cookie']?.toString();
    return { status: answer.statusCode, cookie, text, body: text === '' ? null : JSON.parse(text) };
  };
}

export function keysOf({ SyncPublicKey: PublicKey, SyncSecretKey: SecretKey }: Credential) {
  return { PublicKey, SecretKey };
}

/** The headers of a page of the console that is signed in. */
export async function atConsole(service: TestService, client: Credential): Promise<Headers> {
  const { cookie = '' } = await browserOf(service)('POST /console/session', ownPage, keysOf(client));
  return { ...ownPage, cookie: cookie.split(';')[0] ?? '' };
}
