import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccessStore, Caller } from '../../core/access/access.ts';
import {
  type ConsoleState,
  type ConsoleStore,
  consoleState,
  signInAtConsole,
  signOutAtConsole,
} from '../../core/access/console.ts';
import { readTexts } from '../../core/sessions/read.ts';
import { type Attempt, authorOf } from '../access.ts';
import { debugOf } from '../call.ts';
import { giveConsoleCookie, takeConsoleCookie } from '../console-cookie.ts';
import { recordEnvelope } from '../envelope.ts';
import { ConsoleKeys, consoleAnswers } from '../schemas/console.ts';
import { CallHeaders, CallQuery } from '../schemas/requests.ts';

interface SessionTools {
  readonly access: AccessStore;
  readonly sessions: ConsoleStore;
  readonly attempt: Attempt;
}

const path = '/console/session';

/** `/console/session`: who is signed in at the console. */
export function consoleSessionRoutes(app: FastifyInstance, tools: SessionTools): void {
  const { attempt } = tools;
  const about = { tags: ['console'], querystring: CallQuery, headers: CallHeaders, response: consoleAnswers };
  const author = (request: FastifyRequest) => (caller: Caller) => authorOf(request, caller);

  app.get(
    path,
    {
      config: { signIn: true },
      schema: {
        operationId: 'consoleSession',
        summary: 'Who is signed in at the console',
        description:
          'In protected mode the console is open to this machine without signing in. To ask is no use of a session: it does not go on for it.',
        ...about,
      },
    },
    async (request, reply) => {
      const found = await attempt(request, (evidence) => consoleState(evidence, tools));
      // What has ended would be taken for a wrong credential at every call.
      if (!found.session) takeConsoleCookie(request, reply);
      return recordEnvelope(stateFields(found), debugOf(request));
    },
  );

  app.post(
    path,
    {
      config: { signIn: true, maxValues: 100 },
      schema: {
        operationId: 'signInAtConsole',
        summary: 'Sign in at the console',
        description:
          'With the keys of an API client of scope `admin`, from a page of the console. The session is in a cookie that no script can read; with it, every call is made as that client. It ends after 30 minutes without use, and after 12 hours at most.',
        ...about,
        body: ConsoleKeys,
      },
    },
    async (request, reply) => {
      const { PublicKey: publicKey, SecretKey: secret } = readTexts(request.body, ['PublicKey', 'SecretKey']);
      const pair = { publicKey, secret };
      const { token, session } = await attempt(
        request,
        (evidence) => signInAtConsole(pair, evidence, author(request), tools),
        pair,
      );
      giveConsoleCookie(token, request, reply);
      return recordEnvelope(stateFields({ state: 'signed-in', session }), debugOf(request));
    },
  );

  app.delete(
    path,
    {
      config: { signIn: true, emptyBody: true, maxValues: 100 },
      schema: {
        operationId: 'signOutAtConsole',
        summary: 'Sign out of the console',
        ...about,
      },
    },
    async (request, reply) => {
      await attempt(request, (evidence) => signOutAtConsole(evidence, author(request), tools));
      takeConsoleCookie(request, reply);
      return recordEnvelope(stateFields({ state: 'signed-out', session: null }), debugOf(request));
    },
  );
}

function stateFields({ state, session }: ConsoleState) {
  return {
    State: state,
    Client: session && { PublicKey: session.publicKey, Name: session.name },
    ExpiresAt: session?.expiresAt ?? null,
  };
}
