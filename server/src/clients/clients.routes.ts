import { type Static, Type } from 'typebox';
import { answers, Empty, errorAnswer, Moment, page, recordPage } from '../http/answer-schemas.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  defaulted,
  Id,
  named,
  nullable,
  oneOf,
  optional,
  refined,
  strictObject,
} from '../http/schemas.ts';
import { sendEnvelope } from '../http/streaming.ts';
import type { Api, Validated } from '../http/validation.ts';
import { isNetwork } from '../lib/network.ts';
import { actorOf } from './authentication.plugin.ts';
import { NewCallerTags, ShownCallerTags, tagsOf } from './caller-tags.schemas.ts';
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
import { scopes } from './permissions.ts';

export function clientRoutes(app: Api, store: ClientStore): void {
  const about = { tags: ['admin'], querystring: CallQuery, headers: CallHeaders };

  app.get(
    '/clients',
    {
      config: { permission: 'service.read' },
      schema: {
        operationId: 'clients',
        summary: 'List API clients',
        description:
          'Returns all clients in the order of their creation, including revoked ones, without their secrets.',
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
      config: { permission: 'clients.write', maxValues: 200 },
      schema: {
        operationId: 'createClient',
        summary: 'Create an API client',
        description:
          'Returns the new client. Only this answer contains its `SecretKey`. The first client ends protected mode.',
        ...about,
        body: ClientBody,
        response: newClientAnswers,
      },
    },
    async (request) => {
      const { Name: name, Tags } = request.body;
      const defaults = { scopes: defaultScopes, networks: [], knownByAddress: false };
      const options = { ...defaults, name, tags: tagsOf(Tags), ...changeOf(request.body) };
      const { client, secret } = await createClient(options, store, actorOf(request));
      return recordEnvelope({ ...clientFields(client), SecretKey: secret }, debugOf(request));
    },
  );

  app.patch(
    '/clients/:publicKey',
    {
      config: { permission: 'clients.write', maxValues: 200 },
      schema: {
        operationId: 'changeClient',
        summary: 'Change an API client',
        description:
          'Fields that are not sent stay unchanged. The change applies from the next request of the client. The service does not prevent you from removing the scope `admin` of the last client that has it.',
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
      config: { permission: 'clients.write', maxValues: 100, emptyBody: true },
      schema: {
        operationId: 'rotateClient',
        summary: 'Rotate the secret key of an API client',
        description:
          'Returns a new `SecretKey`, which only this answer contains. The old secret key stays valid for `Hours` (default 24). Any older one ends immediately.',
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
      config: { permission: 'clients.write', maxValues: 100, emptyBody: true },
      schema: {
        operationId: 'revokeClient',
        summary: 'Revoke an API client',
        description:
          'Revokes a client permanently, from its next request. The service does not prevent you from revoking the last client with the scope `admin`. To create another one, run `anagrafe client create --scope admin`.',
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
    Tags: client.tags,
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
  Networks: Type.Array(Type.String(), {
    description: 'The networks from which the client can call. Empty for all.',
  }),
  KnownByAddress: Type.Boolean({ description: 'True if requests from `Networks` need no credential.' }),
  Tags: ShownCallerTags,
  CreatedAt: Moment,
  RevokedAt: nullable(Moment),
};
const SecretKey = Type.String({
  format: 'password',
  description: 'The secret key. Only this answer contains it.',
});

const ClientSchema = named('Client', strictObject(client, { description: 'An API client.' }));
const NewClient = named('NewClient', strictObject({ ...client, SecretKey }));
const NewSecret = named(
  'NewSecret',
  strictObject({ PublicKey: Type.String(), SecretKey, OldEndsAt: Moment }),
);

const clientParts = {
  Scopes: optional(Type.Array(Scope, { minItems: 1 })),
  Networks: optional(
    refined(
      Type.Array(Type.String(), { maxItems: 100 }),
      (networks) => networks.every(isNetwork),
      'networks',
    ),
  ),
  KnownByAddress: optional(Type.Boolean()),
};
const ClientName = Type.String({ minLength: 1, maxLength: 255 });
const ClientChangeBody = named(
  'ClientChange',
  strictObject({ Name: optional(ClientName), ...clientParts }, { examples: [{ Scopes: ['sync:read'] }] }),
);
const ClientBody = named(
  'CreateClient',
  strictObject(
    { Name: ClientName, ...clientParts, Tags: NewCallerTags },
    { examples: [{ Name: 'erp', Scopes: ['sync:write', 'sync:read'], Networks: ['10.0.0.0/8'] }] },
  ),
);
export const RotationBody = strictObject({
  Hours: defaulted(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 9999,
        default: defaultGraceHours,
        description: 'Hours until the old secret ends.',
      }),
    ),
  ),
});
const ClientKey = Type.Object({ publicKey: Type.String({ description: 'The public key of the client.' }) });
const noClient = { 422: errorAnswer('There is no active client with this public key.', 'CLIENT_NOT_FOUND') };
const clientsAnswers = answers('All clients.', page('ClientsEnvelope', ClientSchema));
const clientAnswers = answers('The client.', recordPage('ClientEnvelope', ClientSchema), {
  422: errorAnswer(
    'There is no active client with this public key, or the new values are not valid.',
    'CLIENT_NOT_FOUND',
  ),
});
const newClientAnswers = answers(
  'The client with its secret key.',
  recordPage('NewClientEnvelope', NewClient),
  {
    422: errorAnswer('The values are not valid.', 'INVALID_CLIENT'),
  },
);
const newSecretAnswers = answers('The new secret key.', recordPage('NewSecretEnvelope', NewSecret), noClient);
const revokedAnswers = answers('The client was revoked.', Empty, noClient);
