import type { FastifyInstance } from 'fastify';
import {
  type Client,
  type ClientStore,
  createClient,
  revokeClient,
  rotateSecret,
  updateClient,
} from '../../../core/access/clients.ts';
import { readClientChange, readClientWish, readGraceEnd } from '../../../core/access/read-client.ts';
import { authorOf } from '../../access.ts';
import { debugOf } from '../../call.ts';
import { pageEnvelope, recordEnvelope } from '../../envelope.ts';
import {
  ClientBody,
  ClientChangeBody,
  ClientKey,
  clientAnswers,
  clientsAnswers,
  newClientAnswers,
  newSecretAnswers,
  RotationBody,
  revokedAnswers,
} from '../../schemas/clients.ts';
import { CallHeaders, CallQuery } from '../../schemas/requests.ts';
import { sendEnvelope } from '../../stream.ts';

/** `clients`: who may call. */
export function clientRoutes(app: FastifyInstance, store: ClientStore): void {
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
    async (request, reply) => {
      const clients = await store.listClients();
      const count = clients.length;
      const page = { totalCount: count, count, page: 1, pageSize: Math.max(count, 1) };
      return sendEnvelope(reply, () => pageEnvelope(page, [], debugOf(request)), clientItems(clients));
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
      const wish = readClientWish(request.body);
      const { client, secret } = await createClient(wish, store, authorOf(request));
      return recordEnvelope({ ...clientFields(client), SecretKey: secret }, debugOf(request));
    },
  );

  app.patch<{ Params: { publicKey: string } }>(
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
      const change = readClientChange(request.body);
      const client = await updateClient(request.params.publicKey, change, store, authorOf(request));
      return recordEnvelope(clientFields(client), debugOf(request));
    },
  );

  app.post<{ Params: { publicKey: string } }>(
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
      const oldEndsAt = readGraceEnd(request.body);
      const secret = await rotateSecret(publicKey, oldEndsAt, store, authorOf(request));
      const record = { PublicKey: publicKey, SecretKey: secret, OldEndsAt: oldEndsAt };
      return recordEnvelope(record, debugOf(request));
    },
  );

  app.delete<{ Params: { publicKey: string } }>(
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
      await revokeClient(request.params.publicKey, store, authorOf(request));
      return recordEnvelope(null, debugOf(request));
    },
  );
}

async function* clientItems(clients: readonly Client[]) {
  for (const client of clients) yield [JSON.stringify(clientFields(client))];
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
