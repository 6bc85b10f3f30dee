import { lookup as lookUp } from 'node:dns';
import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import type { Sent } from '../core/webhooks/attempt.ts';
import { refusalOf } from './addresses.ts';
import { readAnswer } from './answer.ts';

export interface Sender {
  /** Says what came of it; it never throws. */
  send(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
}

/** How long a receiver may take. */
const timeoutMs = 15_000;
/** So much of an answer is waited for, so that the connection can be used again. */
const answerBytes = 65_536;

/** Sends messages to the outside world, and nowhere else: every address that is connected to is looked at. */
export function openSender(allowed: BlockList, version: string): Sender {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: timeoutMs }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: timeoutMs }),
  };

  /** A name may stand for several addresses; the one that is given on is the one that is connected to. */
  function guardedLookup(protocol: string): LookupFunction {
    return (hostname, options, callback) => {
      lookUp(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) {
          callback(error, '', 0);
          return;
        }
        const good = addresses.filter(({ address }) => refusalOf(address, protocol, allowed) === null);
        const [first] = good;
        if (!first) {
          const why = refusalOf(addresses[0]?.address ?? '', protocol, allowed);
          callback(new Error(why ?? 'the name has no address'), '', 0);
        } else if (options.all) callback(null, good);
        else callback(null, first.address, first.family);
      });
    };
  }

  return {
    async send(text, headers, body) {
      const url = new URL(text);
      const { protocol } = url;
      const literal = url.hostname.replace(/^\[|\]$/g, '');
      // An address needs no look-up.
      const refused = isIP(literal) === 0 ? null : refusalOf(literal, protocol, allowed);
      if (refused !== null) return unanswered(refused);
      const options = {
        method: 'POST',
        agent: agents[protocol as keyof typeof agents],
        lookup: guardedLookup(protocol),
        headers: {
          'content-type': 'application/cloudevents+json',
          'content-length': Buffer.byteLength(body),
          'user-agent': `Anagrafe/${version}`,
          ...headers,
        },
      };
      return exchange(url, options, body);
    },
  };
}

function unanswered(failure: string): Sent {
  return { status: null, failure, answer: Promise.resolve(null) };
}

function exchange(url: URL, options: RequestOptions, body: string): Promise<Sent> {
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    const failed = (failure: string) => resolve(unanswered(failure));
    const timer = setTimeout(() => {
      failed(`no answer within ${timeoutMs / 1000} seconds`);
      request.destroy();
    }, timeoutMs);
    request.once('response', (response) => {
      const status = response.statusCode ?? 0;
      // A redirect could lead anywhere.
      const failure = status >= 300 && status < 400 ? 'the receiver answered with a redirect' : null;
      resolve({ status, failure, answer: readAnswer(response) });
      // Whatever else it answers is not of interest, and has to end.
      let left = answerBytes;
      response.on('data', (piece: Buffer) => {
        left -= piece.length;
        if (left < 0) request.destroy();
      });
      response.once('error', () => undefined);
      response.once('close', () => clearTimeout(timer));
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      failed(error.code ?? error.message);
    });
    request.end(body);
  });
}
