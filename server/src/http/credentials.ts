import { type BlockList, isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isInside, isLoopback, plainAddress } from '../lib/network.ts';
import { isOwnPeer } from '../lib/peer-owner.ts';
import { type KeyPair, readAccessToken, readKeyPair } from '../lib/secrets.ts';

const bearer = /^Bearer +(\S+)$/i;
/** Headers in which proxies and CDNs forward the client address: the peer of such a request is not the caller. */
const forwardingHeader =
  /^(via|cdn-loop|(x-)?forwarded(-.+)?|x-.+-forwarded-.+|x-(original|remote|envoy)-.+|.*(-|client|socket)ip(v6)?)$/;
/** Headers that HTTP libraries, browsers and Prometheus send by default. Protected mode rejects all others. */
const directHeader =
  /^(accept(-.+)?|access-control-request-.+|accesstoken|anagrafe-run|authorization|cache-control|connection|content-.+|cookie|dnt|expect|host|idempotency-key|if-.+|keep-alive|origin|postman-token|pragma|prefer|priority|purpose|range|referer|sec-.+|sync(public|secret)key|te|transfer-encoding|upgrade(-insecure-requests)?|user-agent|x-prometheus-scrape-timeout-seconds|x-request-id|x-requested-with)$/;
const loopbackHost = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

export interface CallerEvidence {
  readonly credentials: readonly Credential[];
  /** The address of the caller; null if it cannot be trusted. */
  readonly address: string | null;
  /** True if a program on this machine uses a loopback name, without a proxy and not from a page of another site. */
  readonly direct: boolean;
  /** Returns true unless the program at the other end of the connection runs as another user than the service or root. */
  readonly isOwnPeer: () => Promise<boolean>;
  /** True if the host is an IP address, localhost or an allowed name; false may be DNS rebinding. */
  readonly knownHost: boolean;
  /** True if a browser sent the request. The address of a browser does not authenticate the page that it shows. */
  readonly fromBrowser: boolean;
  /** True if a page of this service sent the request. A write must prove it; a read must only not contradict it. */
  readonly ownPage: boolean;
}

/** A key pair, the access token of a signed-in user, a console session token, or null for a malformed credential. */
type Credential = KeyPair | { readonly accessToken: string } | { readonly consoleToken: string } | null;

export interface TrustSettings {
  readonly proxies: BlockList;
  /** Host names in lower case, without a port. */
  readonly hosts: ReadonlySet<string>;
}

/** Reads credentials and origin from a request. Values that cannot be trusted become null or false. */
export function readEvidence(request: FastifyRequest, trust: TrustSettings): CallerEvidence {
  const { headers, raw } = request;
  const peer = raw.socket.remoteAddress ?? '';
  const names = Object.keys(headers);
  const forwarded = names.some((name) => forwardingHeader.test(name));
  const named = Boolean(headers['x-forwarded-for']) && isInside(peer, trust.proxies);
  return {
    credentials: readCredentials(request),
    address: named ? plainAddress(ipOf(request)) : forwarded ? null : plainAddress(peer),
    direct:
      isLoopback(peer) &&
      !isInside(peer, trust.proxies) &&
      names.every((name) => directHeader.test(name)) &&
      raw.httpVersion === '1.1' && // an old reverse proxy sends HTTP/1.0 and adds no header
      raw.url?.startsWith('/') === true &&
      raw.headersDistinct.host?.length === 1 &&
      loopbackHost.test(headers.host ?? '') &&
      isOwnPage(headers.origin, headers['sec-fetch-site'], headers.host),
    isOwnPeer: () => isOwnPeer(raw.socket),
    // A trusted proxy may replace `Host` and set `X-Forwarded-Host`, which is `request.host` then. A page can send that
    // header too, through a proxy that does not set it, so it never makes up for an unknown `Host`.
    knownHost: [headers.host, request.host].every((host) => isKnownHost(host, trust.hosts)),
    fromBrowser: headers.origin !== undefined || headers['sec-fetch-site'] !== undefined,
    ownPage: showsOwnPage(request),
  };
}

/** A request after DNS rebinding has the name of the attacking site as host, never an IP address or localhost. */
function isKnownHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host?.toLowerCase() ?? '') ?? [];
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || allowed.has(name);
}

/**
 * Returns the address of the caller, for limits and the log: the one that a trusted proxy forwards, otherwise that of
 * the peer. A proxy may forward a text that is not an address, which is ignored.
 */
export function addressOf(request: FastifyRequest): string {
  const peer = request.raw.socket.remoteAddress ?? '';
  return plainAddress(ipOf(request)) ?? plainAddress(peer) ?? 'unknown';
}

/** `request.ip` is undefined after the connection was lost. */
function ipOf({ ip }: { readonly ip: string | undefined }): string {
  return ip ?? '';
}

export function hasCredential(request: FastifyRequest): boolean {
  return readCredentials(request).length > 0;
}

export function accessTokenOf(request: FastifyRequest): string | null {
  const token = readCredentials(request).find((sent) => sent !== null && 'accessToken' in sent);
  return token && 'accessToken' in token ? token.accessToken : null;
}

/** Returns every credential of the request; null marks a malformed one. */
function readCredentials(request: FastifyRequest): Credential[] {
  const { headers, raw } = request;
  const credentials: Credential[] = [];
  const { syncpublickey: publicKey, syncsecretkey: secret, authorization, accesstoken } = headers;
  if (publicKey !== undefined || secret !== undefined) {
    const whole = typeof publicKey === 'string' && typeof secret === 'string';
    credentials.push(whole ? { publicKey, secret } : null);
  }
  // Node keeps only the first of several Authorization headers, so a repeated one counts as malformed.
  if ((raw.headersDistinct.authorization?.length ?? 0) > 1) credentials.push(null);
  if (authorization !== undefined) {
    const token = bearer.exec(authorization)?.[1];
    credentials.push(token === undefined ? null : (readKeyPair(token) ?? readAccessToken(token)));
  }
  if (accesstoken !== undefined) credentials.push(readAccessToken(String(accesstoken)));
  return [...credentials, ...consoleTokensOf(request).map((consoleToken) => ({ consoleToken }))];
}

/**
 * Checks `Sec-Fetch-Site`, which browsers send only over https and to loopback addresses; without it `Origin`, which
 * browsers send with every request that may change something.
 */
function showsOwnPage({ method, headers, protocol, host }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  const reads = method === 'GET' || method === 'HEAD';
  if (site !== undefined) return site === 'same-origin' || (reads && site === 'none');
  return origin === undefined ? reads : origin === `${protocol}://${host}`;
}

/** Returns true if no page sent the request, or a page of this service did. */
function isOwnPage(
  origin: string | undefined,
  site: string | string[] | undefined,
  host: string | undefined,
): boolean {
  const sameOrigin = origin === undefined || origin === `http://${host}`;
  return sameOrigin && (site === undefined || site === 'same-origin' || site === 'none');
}

const cookieName = 'anagrafe_console';
/** Cookie name over https: browsers accept the prefix `__Host-` from this host only, not from a sibling domain. */
const hostCookieName = `__Host-${cookieName}`;

const attributes = 'Path=/; HttpOnly; SameSite=Strict';

/** Sets a cookie without `Max-Age`, which the browser deletes when it closes, if the session does not end before. */
export function setConsoleCookie(token: string, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', `${cookieNameFor(request)}=${token}; ${attributesFor(request)}`);
}

export function clearConsoleCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (consoleTokensOf(request).length === 0) return;
  reply.header('set-cookie', `${cookieNameFor(request)}=; ${attributesFor(request)}; Max-Age=0`);
}

/** Returns all console tokens of the request; each counts as a credential, so that two are rejected. */
function consoleTokensOf(request: FastifyRequest): string[] {
  const start = `${cookieNameFor(request)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.filter((cookie) => cookie.startsWith(start)).map((cookie) => cookie.slice(start.length));
}

function cookieNameFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? hostCookieName : cookieName;
}

function attributesFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? `${attributes}; Secure` : attributes;
}
