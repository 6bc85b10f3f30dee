import { lookup as lookUp } from 'node:dns';
import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import type { KeyRing } from '../encryption/key-ring.ts';
import { wrongParameter } from '../lib/field-errors.ts';
import { isInside, networkList } from '../lib/network.ts';
import { version } from '../lib/package-folder.ts';
import type { DeliveryFailure, NetworkFailureCode } from '../lib/webhook-failures.ts';
import type { Signing } from './attempt.ts';
import type { Sent } from './delivery.ts';
import { readAnswer } from './receiver-answer.ts';
import { webhookName } from './webhook.ts';

export interface Sender {
  /** Resolves to the result of the request; a network error does not reject. */
  send(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
}

/** Time limit for a request with its whole response. */
const timeoutMs = 15_000;
/** Bytes of a response body that are drained, so that the connection can be reused; a longer body closes it. */
const maxDrainedBytes = 65_536;

/** Opens a sender that checks every address before it connects: only public addresses and `allowed` networks. */
export function openSender(allowed: BlockList, version: string): Sender {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: timeoutMs }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: timeoutMs }),
  };

  /** Returns only permitted addresses to the socket, so that DNS rebinding cannot bypass the check. */
  function guardedLookup(protocol: string): LookupFunction {
    return (hostname, options, callback) => {
      lookUp(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) {
          callback(error, '', 0);
          return;
        }
        const permitted = addresses.filter(
          ({ address }) => addressError(address, protocol, allowed) === null,
        );
        const [first] = permitted;
        if (!first) {
          const failure = addressError(addresses[0]?.address ?? '', protocol, allowed);
          callback(new RefusedAddress(failure ?? networkFailure({ code: 'ENOTFOUND' })), '', 0);
        } else if (options.all) callback(null, permitted);
        else callback(null, first.address, first.family);
      });
    };
  }

  return {
    async send(text, headers, body) {
      const url = new URL(text);
      const { protocol } = url;
      const literal = url.hostname.replace(/^\[|\]$/g, '');
      // Node does not call `lookup` for an IP address, so it is checked here.
      const refused = isIP(literal) === 0 ? null : addressError(literal, protocol, allowed);
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

function unanswered(failure: DeliveryFailure): Sent {
  return { status: null, failure, answer: Promise.resolve(null) };
}

function exchange(url: URL, options: RequestOptions, body: string): Promise<Sent> {
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    const failed = (failure: DeliveryFailure) => resolve(unanswered(failure));
    const timer = setTimeout(() => {
      failed({ code: 'timeout', timeoutMs });
      request.destroy();
    }, timeoutMs);
    request.once('response', (response) => {
      const status = response.statusCode ?? 0;
      // Redirects are not followed and count as a failure.
      const failure = status >= 200 && status < 300 ? null : ({ code: 'http_status', status } as const);
      resolve({ status, failure, answer: readAnswer(response) });
      // Drains the rest of the body, up to the limit.
      let left = maxDrainedBytes;
      response.on('data', (piece: Buffer) => {
        left -= piece.length;
        if (left < 0) request.destroy();
      });
      response.once('error', () => undefined);
      response.once('close', () => clearTimeout(timer));
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      failed(error instanceof RefusedAddress ? error.failure : networkFailure(error));
    });
    request.end(body);
  });
}

class RefusedAddress extends Error {
  readonly failure: DeliveryFailure;

  constructor(failure: DeliveryFailure) {
    super(failure.code);
    this.name = 'RefusedAddress';
    this.failure = failure;
  }
}

const networkCodes: Readonly<Record<string, NetworkFailureCode>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ETIMEDOUT: 'connection_timeout',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EPROTO: 'tls_error',
};

/** Error codes of Node.js and OpenSSL about certificates and TLS, such as CERT_HAS_EXPIRED. */
const tlsCode = /CERT|UNABLE_TO|^ERR_TLS|^ERR_SSL/;
const parserCode = /^HPE_/;

export function networkFailure({ code, message = '' }: Partial<NodeJS.ErrnoException>): DeliveryFailure {
  const networkError = code ?? message;
  const known = networkCodes[code ?? ''];
  if (known) return { code: known, networkError };
  if (tlsCode.test(code ?? '')) return { code: 'tls_error', networkError };
  return { code: parserCode.test(code ?? '') ? 'invalid_response' : 'network_error', networkError };
}

/** Networks that are not public: this machine, private networks and the special-purpose ranges of IANA. */
const internal = networkList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

/** Returns why nothing may be sent to an address, or null if it is permitted. Plain HTTP needs an `allowed` network. */
export function addressError(address: string, protocol: string, allowed: BlockList): DeliveryFailure | null {
  if (isInside(address, allowed)) return null;
  if (isInside(address, internal)) return { code: 'internal_address' };
  return protocol === 'https:' ? null : { code: 'plain_http' };
}

/** Names that resolve to this machine only (RFC 6761). */
const localName = /^(.+\.)?localhost\.?$/;

/**
 * Throws if no message can ever be sent to the URL of a webhook, with these networks allowed. Names other than localhost
 * are not resolved: their addresses can change, and are checked before each message.
 */
export function checkEndpoint(text: string, networks: readonly string[]): void {
  const { hostname, protocol } = new URL(text);
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses = localName.test(literal) ? ['127.0.0.1', '::1'] : isIP(literal) === 0 ? [] : [literal];
  const allowed = networkList(networks);
  const errors = addresses.map((address) => addressError(address, protocol, allowed));
  const internal = errors.length > 0 && errors.every((error) => error?.code === 'internal_address');
  if (internal) throw wrongParameter('URL', 'internalUrl');
  const plain = errors.length > 0 ? !errors.includes(null) : protocol === 'http:' && networks.length === 0;
  if (plain) throw wrongParameter('URL', 'plainUrl');
}

/** Opens the decryption of webhook secrets and the sender, for the service and the command line. */
export function openSigning(keyRing: KeyRing, networks: readonly string[]): Signing {
  return {
    decryptSecret: (encrypted, id) => keyRing.decryptSecret(encrypted, webhookName(id)),
    send: openSender(networkList(networks), version).send,
  };
}
