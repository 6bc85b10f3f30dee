import type { FastifyReply, FastifyRequest } from 'fastify';

const plainName = 'anagrafe_console';
/** Over https, by a name that browsers take from this very host alone, and never from a neighbour's page. */
const hostName = `__Host-${plainName}`;

const attributes = 'Path=/; HttpOnly; SameSite=Strict';

/** Without an end of its own: it goes with the browser, if the session does not end before. */
export function giveConsoleCookie(token: string, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', `${nameFor(request)}=${token}; ${attributesFor(request)}`);
}

export function takeConsoleCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (consoleTokensOf(request).length === 0) return;
  reply.header('set-cookie', `${nameFor(request)}=; ${attributesFor(request)}; Max-Age=0`);
}

/** As many as were sent; two are one too many. */
export function consoleTokensOf(request: FastifyRequest): string[] {
  const start = `${nameFor(request)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.filter((cookie) => cookie.startsWith(start)).map((cookie) => cookie.slice(start.length));
}

function nameFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? hostName : plainName;
}

function attributesFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? `${attributes}; Secure` : attributes;
}
