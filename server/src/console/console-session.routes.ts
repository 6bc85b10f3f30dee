import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Caller, operatorCaller } from '../clients/access.ts';
import { actorOf, type ThrottledLookup } from '../clients/authentication.plugin.ts';
import { ShownCallerTags } from '../clients/caller-tags.schemas.ts';
import {
  type ConsoleState,
  type ConsoleTools,
  consoleState,
  signInAtConsole,
  signOutAtConsole,
} from '../clients/console-session.ts';
import { permissions, permissionsOfScopes, scopes } from '../clients/permissions.ts';
import { answers, count, Moment, recordPage } from '../http/answer-schemas.ts';
import { clearConsoleCookie, setConsoleCookie } from '../http/credentials.ts';
import { recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  credential,
  Id,
  named,
  nullable,
  oneOf,
  strictObject,
} from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import type { Brand } from '../lib/brand.ts';
import { RoleSchema } from '../operators/operators.routes.ts';

interface SessionTools extends ConsoleTools {
  readonly idleMinutes: number;
  readonly sendsMail: boolean;
  readonly brand: Pick<Brand, 'name' | 'color'>;
  readonly lookUpThrottled: ThrottledLookup;
}

const path = '/console/session';

/** Registers `/console/session`: GET reads the state of the session, POST signs in, DELETE signs out. */
export function consoleSessionRoutes(app: Api, tools: SessionTools): void {
  const { lookUpThrottled } = tools;
  const about = { tags: ['console'], querystring: CallQuery, headers: CallHeaders, response: consoleAnswers };
  const actor = (request: FastifyRequest) => (caller: Caller) => actorOf(request, caller);

  app.get(
    path,
    {
      config: { signIn: true },
      schema: {
        operationId: 'consoleSession',
        summary: 'Get the console session',
        description:
          'Returns the state of the session without extending it. In protected mode the console is open to the same machine without signing in.',
        ...about,
      },
    },
    async (request, reply) => {
      const found = await lookUpThrottled(request, (evidence) => consoleState(evidence, tools), {
        isValid: ({ session }) => session !== null,
      });
      // Every later call would reject the cookie of an ended session as an invalid credential.
      if (!found.session) clearConsoleCookie(request, reply);
      return recordEnvelope(stateFields(found, tools), debugOf(request));
    },
  );

  app.post(
    path,
    {
      config: { signIn: true, maxValues: 100 },
      schema: {
        operationId: 'signInAtConsole',
        summary: 'Sign in to the console',
        description:
          'Starts a session with the keys of an API client with the scope `admin`, from a page of the console, and sets an HttpOnly cookie. The session of a cookie that the browser had before ends. Requests with the cookie are made as that client. The session ends after 30 minutes without use, and after 12 hours at most.',
        ...about,
        body: ConsoleKeys,
      },
    },
    async (request, reply) => {
      const { PublicKey: publicKey, SecretKey: secret } = request.body;
      const pair = { publicKey, secret };
      const { token, session } = await lookUpThrottled(
        request,
        async (evidence) => {
          const begun = await signInAtConsole(pair, evidence, actor(request), tools);
          await signOutAtConsole(evidence, actor(request), tools);
          return begun;
        },
        { fromBody: pair },
      );
      setConsoleCookie(token, request, reply);
      return recordEnvelope(stateFields({ state: 'signed-in', session }, tools), debugOf(request));
    },
  );

  app.delete(
    path,
    {
      config: { signIn: true, emptyBody: true, maxValues: 100 },
      schema: {
        operationId: 'signOutAtConsole',
        summary: 'Sign out of the console',
        description: 'Ends the session and deletes the cookie.',
        ...about,
      },
    },
    async (request, reply) => {
      await lookUpThrottled(request, (evidence) => signOutAtConsole(evidence, actor(request), tools), {
        isValid: (ended) => ended,
      });
      clearConsoleCookie(request, reply);
      return recordEnvelope(stateFields({ state: 'signed-out', session: null }, tools), debugOf(request));
    },
  );
}

function stateFields(
  { state, session }: ConsoleState,
  { keysAtConsole, idleMinutes, sendsMail, brand }: SessionTools,
) {
  return {
    State: state,
    Client: session && !('role' in session) ? { PublicKey: session.publicKey, Name: session.name } : null,
    Operator:
      session && 'role' in session
        ? {
            ID: session.id,
            Email: session.email,
            Name: session.name,
            Role: session.role,
            Tags: session.tags,
            SecondFactor: session.hasSecondFactor,
            NeedsSecondFactor: session.mustEnrol,
            Confirmed: session.confirmed,
          }
        : null,
    Permissions: state === 'signed-out' ? [] : permissionsOf(session),
    ExpiresAt: session?.expiresAt ?? null,
    IdleMinutes: idleMinutes,
    KeysAllowed: keysAtConsole,
    SendsMail: sendsMail,
    BrandName: brand.name,
    BrandColor: brand.color,
  };
}

/** A client at the console has the scope `admin`, and protected mode every scope. */
function permissionsOf(session: ConsoleState['session']) {
  const isOperator = session !== null && 'role' in session;
  return [
    ...(isOperator
      ? operatorCaller(session).permissions
      : permissionsOfScopes(scopes, session?.tags ?? null)),
  ];
}

const ConsoleSession = named(
  'ConsoleSession',
  strictObject({
    State: oneOf(['protected', 'signed-in', 'signed-out']),
    Client: nullable(strictObject({ PublicKey: Type.String(), Name: Type.String() })),
    Operator: nullable(
      strictObject({
        ID: Id,
        Email: Type.String(),
        Name: Type.String(),
        Role: RoleSchema,
        Tags: ShownCallerTags,
        SecondFactor: Type.Boolean(),
        NeedsSecondFactor: Type.Boolean({
          description: 'True if the operator can do nothing before it has set up the second factor.',
        }),
        Confirmed: Type.Boolean({
          description: 'True if the operator has entered its password or a code within the last ten minutes.',
        }),
      }),
    ),
    Permissions: Type.Array(named('Permission', oneOf(permissions)), {
      description: 'What the client or operator may do. A request decides anew.',
    }),
    ExpiresAt: nullable(Moment),
    IdleMinutes: count('Minutes without input after which a page of an operator signs out.'),
    KeysAllowed: Type.Boolean({ description: 'True if API clients may sign in, too.' }),
    SendsMail: Type.Boolean({ description: 'True if a mail server is configured.' }),
    BrandName: Type.String({ description: 'The name of the product that users see.' }),
    BrandColor: Type.String({ description: 'Its colour.' }),
  }),
);

const ConsoleKeys = named(
  'ConsoleKeys',
  strictObject({ PublicKey: credential(), SecretKey: credential({ format: 'password' }) }),
);

const consoleAnswers = answers(
  'The state of the session.',
  recordPage('ConsoleSessionEnvelope', ConsoleSession),
);
