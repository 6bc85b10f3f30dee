import { type BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { CallerEvidence, Credential } from '../core/access/access.ts';
import { readAccessToken, readKeyPair } from '../core/access/keys.ts';
import { isInside, isLoopback, plainAddress } from '../network.ts';
import { consoleTokensOf } from './console-cookie.ts';

const bearer = /^Bearer +(\S+)$/i;
/** Headers by which proxies and CDNs pass on an address: a request that has one does not come from its peer. */
const forwardingHeader =
  /^(via|cdn-loop|(x-)?forwarded(-.+)?|x-.+-forwarded-.+|x-(original|remote|envoy)-.+|.*(-|client|socket)ip(v6)?)$/;
/** Headers that HTTP libraries, browsers and Prometheus send of themselves. Protected mode refuses every other one. */
const directHeader =
  /^(accept(-.+)?|access-control-request-.+|accesstoken|authorization|cache-control|connection|content-.+|cookie|dnt|expect|host|idempotency-key|if-.+|keep-alive|origin|postman-token|pragma|prefer|priority|purpose|range|referer|sec-.+|sync(public|secret)key|te|transfer-encoding|upgrade(-insecure-requests)?|user-agent|x-prometheus-scrape-timeout-seconds|x-request-id|x-requested-with)$/;
const loopbackHost = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** The proxies and names that the operator has set. */
export interface TrustSettings {
  readonly proxies: BlockList;
  /** In lower case, without a port. */
  readonly hosts: ReadonlySet<string>;
}

/** Reads off a request what it shows of who sends it. Whatever cannot be believed is left out. */
export function readEvidence(request: FastifyRequest, trust: TrustSettings): CallerEvidence {
  const { headers, raw } = request;
  const peer = raw.socket.remoteAddress ?? '';
  const names = Object.keys(headers);
  const forwarded = names.some((name) => forwardingHeader.test(name));
  const named = Boolean(headers['x-forwarded-for']) && isInside(peer, trust.proxies);
  return {
    credentials: readCredentials(request),
    address: named ? plainAddress(request.ip) : forwarded ? null : plainAddress(peer),
    direct:
      isLoopback(peer) &&
      !isInside(peer, trust.proxies) &&
      names.every((name) => directHeader.test(name)) &&
      raw.httpVersion === '1.1' && // an old reverse proxy sends 1.0 and adds no header of its own
      raw.url?.startsWith('/') === true &&
      raw.headersDistinct.host?.length === 1 &&
      loopbackHost.test(headers.host ?? '') &&
      isOwnPage(headers.origin, headers['sec-fetch-site'], headers.host),
    knownHost: isKnownHost(request.host, trust.hosts),
    fromBrowser: headers.origin !== undefined || headers['sec-fetch-site'] !== undefined,
    ownPage: showsOwnPage(request),
  };
}

/** The host of a page that was rebound is the name of its site: never an IP address, never localhost. */
function isKnownHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host?.toLowerCase() ?? '') ?? [];
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || allowed.has(name);
}

/**
 * The address that a request comes from, for limits and the log: that which a trusted proxy names, or else the peer's.
 * A proxy may name something that is not an address.
 */
export function addressOf(request: FastifyRequest): string {
  const peer = request.raw.socket.remoteAddress ?? '';
  return plainAddress(request.ip) ?? plainAddress(peer) ?? 'unknown';
}

export function hasCredential(request: FastifyRequest): boolean {
  return readCredentials(request).length > 0;
}

/** Of a signed-in user. */
export function accessTokenOf(request: FastifyRequest): string | null {
  const token = readCredentials(request).find((sent) => sent !== null && 'accessToken' in sent);
  return token && 'accessToken' in token ? token.accessToken : null;
}

/** Every credential that was sent; null stands for one that cannot be anybody's. */
function readCredentials(request: FastifyRequest): Credential[] {
  const { headers, raw } = request;
  const credentials: Credential[] = [];
  const { syncpublickey: publicKey, syncsecretkey: secret, authorization, accesstoken } = headers;
  if (publicKey !== undefined || secret !== undefined) {
    const whole = typeof publicKey === 'string' && typeof secret === 'string';
    credentials.push(whole ? { publicKey, secret } : null);
  }
  // Node keeps the first of several and drops the rest.
  if ((raw.headersDistinct.authorization?.length ?? 0) > 1) credentials.push(null);
  if (authorization !== undefined) {
    const token = bearer.exec(authorization)?.[1];
    credentials.push(token === undefined ? null : (readKeyPair(token) ?? readAccessToken(token)));
  }
  if (accesstoken !== undefined) credentials.push(readAccessToken(String(accesstoken)));
  return [...credentials, ...consoleTokensOf(request).map((consoleToken) => ({ consoleToken }))];
}

/**
 * Browsers say where a request comes from; where they keep silent (`Sec-Fetch-Site` is for https and this machine
 * alone), they name the origin of whatever may change something.
 */
function showsOwnPage({ method, headers, protocol, host }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  const reads = method === 'GET' || method === 'HEAD';
  if (site !== undefined) return site === 'same-origin' || (reads && site === 'none');
  return origin === undefined ? reads : origin === `${protocol}://${host}`;
}

/** No page at all, or a page that this service itself gave out. */
function isOwnPage(
  origin: string | undefined,
  site: string | string[] | undefined,
  host: string | undefined,
): boolean {
  const sameOrigin = origin === undefined || origin === `http://${host}`;
  return sameOrigin && (site === undefined || site === 'same-origin' || site === 'none');
}
