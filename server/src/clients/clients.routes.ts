import { type Static, Type } from 'typebox';
import { answers, Empty, errorAnswer, Moment, page, recordPage } from '../http/answer-schemas.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  defaulted,
  example,
  Id,
  named,
  nullable,
  oneOf,
  optional,
  strictObject,
} from '../http/schemas.ts';
import { sendEnvelope } from '../http/streaming.ts';
import type { Api, Validated } from '../http/validation.ts';
import { isNetwork } from '../lib/network.ts';
import { scopes } from './access.ts';
import { actorOf } from './authentication.plugin.ts';
import {
  type Client,
  type ClientChange,
  type ClientStore,
  createClient,
  defaultGraceHours,
  defaultScopes,
  graceEnd,
  revokeClient,
  rotateSecret,
  updateClient,
} from './clients.ts';

export function clientRoutes(app: Api, store: ClientStore): void {
  const scope = 'admin' as const;
  const about = { tags: ['admin'], querystring: CallQuery, headers: CallHeaders };

  app.get(
    '/clients',
    {
      config: { scope },
      schema: {
        operationId: 'clients',
        summary: 'The API clients, in the order of their creation',
        description: 'Revoked ones included; all of them in one page. Secrets are not kept, and not shown.',
        ...about,
        response: clientsAnswers,
      },
    },
    async (_request, reply) => {
      const clients = await store.listClients();
      const count = clients.length;
      const page = { totalCount: count, count, pageSize: Math.max(count, 1) };
      return sendEnvelope(reply, pageEnvelope<never>(page, [], null), clientItems(clients));
    },
  );

  app.post(
    '/clients',
    {
      config: { scope, maxValues: 200 },
      schema: {
        operationId: 'createClient',
        summary: 'Create an API client',
        description:
          'Its `SecretKey` is in this answer and in no other. The first client that is created ends protected mode.',
        ...about,
        body: ClientBody,
        response: newClientAnswers,
      },
    },
    async (request) => {
      const defaults = { scopes: defaultScopes, networks: [], knownByAddress: false };
      const options = { ...defaults, name: request.body.Name, ...changeOf(request.body) };
      const { client, secret } = await createClient(options, store, actorOf(request));
      return recordEnvelope({ ...clientFields(client), SecretKey: secret }, debugOf(request));
    },
  );

  app.patch(
    '/clients/:publicKey',
    {
      config: { scope, maxValues: 200 },
      schema: {
        operationId: 'changeClient',
        summary: 'Change a client, from its next call on',
        description:
          'What is not named stays. `Networks` takes an empty list for anywhere. Nothing keeps the last client of scope `admin` from losing it.',
        ...about,
        params: ClientKey,
        body: ClientChangeBody,
        response: clientAnswers,
      },
    },
    async (request) => {
      const { publicKey } = request.params;
      const client = await updateClient(publicKey, changeOf(request.body), store, actorOf(request));
      return recordEnvelope(clientFields(client), debugOf(request));
    },
  );

  app.post(
    '/clients/:publicKey/rotate',
    {
      config: { scope, maxValues: 100, emptyBody: true },
      schema: {
        operationId: 'rotateClient',
        summary: 'Give a client a new secret',
        description:
          'The `SecretKey` is in this answer and in no other. The old secret goes on for `Hours`, 24 where it is not said; older ones end at once.',
        ...about,
        params: ClientKey,
        body: RotationBody,
        response: newSecretAnswers,
      },
    },
    async (request) => {
      const { publicKey } = request.params;
      const oldEndsAt = graceEnd(request.body.Hours);
      const secret = await rotateSecret(publicKey, oldEndsAt, store, actorOf(request));
      const record = { PublicKey: publicKey, SecretKey: secret, OldEndsAt: oldEndsAt };
      return recordEnvelope(record, debugOf(request));
    },
  );

  app.delete(
    '/clients/:publicKey',
    {
      config: { scope, maxValues: 100, emptyBody: true },
      schema: {
        operationId: 'revokeClient',
        summary: 'Shut a client out, from its next call on',
        description:
          'For good. Nothing keeps the last client of scope `admin` from being revoked, by itself too: `anagrafe client create --scope admin` at the command line makes another.',
        ...about,
        params: ClientKey,
        response: revokedAnswers,
      },
    },
    async (request) => {
      await revokeClient(request.params.publicKey, store, actorOf(request));
      return recordEnvelope(null, debugOf(request));
    },
  );
}

async function* clientItems(clients: readonly Client[]) {
  for (const client of clients) yield [JSON.stringify(clientFields(client))];
}

function changeOf(body: Validated<Static<typeof ClientChangeBody>>): ClientChange {
  return {
    ...(body.Name !== undefined && { name: body.Name }),
    ...(body.Scopes && { scopes: [...new Set(body.Scopes)] }),
    ...(body.Networks && { networks: body.Networks }),
    ...(body.KnownByAddress !== undefined && { knownByAddress: body.KnownByAddress }),
  };
}

function clientFields(client: Client) {
  return {
    ID: client.id,
    PublicKey: client.publicKey,
    Name: client.name,
    Scopes: client.scopes,
    Networks: client.networks,
    KnownByAddress: client.knownByAddress,
    CreatedAt: client.createdAt,
    RevokedAt: client.revokedAt,
  };
}

const Scope = named('Scope', oneOf(scopes));

const client = {
  ID: Id,
  PublicKey: Type.String(),
  Name: Type.String(),
  Scopes: Type.Array(Scope),
  Networks: Type.Array(Type.String(), { description: 'where it may call from; anywhere when empty' }),
  KnownByAddress: Type.Boolean({ description: 'whether a call from its networks needs no credential' }),
  CreatedAt: Moment,
  RevokedAt: nullable(Moment),
};
const SecretKey = Type.String({ format: 'password', description: 'shown only here' });

const ClientSchema = named('Client', strictObject(client));
const NewClient = named('NewClient', strictObject({ ...client, SecretKey }));
const NewSecret = named(
  'NewSecret',
  strictObject({ PublicKey: Type.String(), SecretKey, OldEndsAt: Moment }),
);

const clientParts = {
  Scopes: optional(Type.Array(Scope, { minItems: 1 })),
  Networks: optional(
    Type.Refine(
      Type.Array(Type.String(), { maxItems: 100 }),
      (networks) => networks.every(isNetwork),
      () => 'networks',
    ),
  ),
  KnownByAddress: optional(Type.Boolean()),
};
const ClientName = Type.String({ minLength: 1, maxLength: 255 });
const ClientChangeBody = example(
  named('ClientChange', strictObject({ Name: optional(ClientName), ...clientParts })),
  { Scopes: ['sync:read'] },
);
const ClientBody = example(named('CreateClient', strictObject({ Name: ClientName, ...clientParts })), {
  Name: 'erp',
  Scopes: ['sync:write', 'sync:read'],
  Networks: ['10.0.0.0/8'],
});
export const RotationBody = strictObject({
  Hours: defaulted(nullable(Type.Integer({ minimum: 0, maximum: 9999, default: defaultGraceHours }))),
});
const ClientKey = Type.Object({ publicKey: Type.String() });
const noClient = { 422: errorAnswer('There is no such client', 'CLIENT_NOT_FOUND') };
const clientsAnswers = answers('The clients', page('ClientsEnvelope', ClientSchema));
const clientAnswers = answers('The client', recordPage('ClientEnvelope', ClientSchema), {
  422: errorAnswer('There is no such client, or such a client cannot be', 'CLIENT_NOT_FOUND'),
});
const newClientAnswers = answers('The client, with its secret', recordPage('NewClientEnvelope', NewClient), {
  422: errorAnswer('Such a client cannot be', 'INVALID_CLIENT'),
});
const newSecretAnswers = answers('The new secret', recordPage('NewSecretEnvelope', NewSecret), noClient);
const revokedAnswers = answers(
  'The client is shut out. If it was the last of scope `admin`, the command line makes another.',
  Empty,
  noClient,
);
