import { request } from 'undici';
import type { Envelope } from '../../server/src/http/envelope.ts';
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

/** The header that a browser adds to a request from a page of the console. */
export const ownPage = { 'sec-fetch-site': 'same-origin' };

/** Returns a function that sends only the given headers, such as `browse('POST /console/session', headers, body)`. */
export function browserOf({ url }: TestService) {
  return async (methodAndPath: string, headers: Headers = {}, body?: unknown): Promise<BrowserAnswer> => {
    const [method = '', path = ''] = methodAndPath.split(' ');
    const answer = await request(url + path, {
      method: method as Method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const cookie = answer.headers['set-cookie']?.toString();
    const isJson = answer.headers['content-type']?.toString().startsWith('application/json');
    return { status: answer.statusCode, cookie, text, body: isJson ? JSON.parse(text) : null };
  };
}

export function keysOf({ SyncPublicKey: PublicKey, SyncSecretKey: SecretKey }: Credential) {
  return { PublicKey, SecretKey };
}

/** Signs in to the console and returns the headers that its pages send, with the session cookie. */
export async function atConsole(service: TestService, client: Credential): Promise<Headers> {
  const { cookie = '' } = await browserOf(service)('POST /console/session', ownPage, keysOf(client));
  return { ...ownPage, cookie: cookie.split(';')[0] ?? '' };
}
