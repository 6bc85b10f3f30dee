import { Type } from 'typebox';
import { scopes } from '../../core/access/clients.ts';
import { about } from './admin.ts';
import { answer, Empty, Moment, page, Refusal, refusals } from './answers.ts';
import { refusalExample } from './examples.ts';
import { example, Id, named, nullable, strictObject } from './named.ts';

const Scope = named('Scope', Type.String({ enum: [...scopes] }));

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

const Client = named('Client', strictObject(client));
const NewClient = named('NewClient', strictObject({ ...client, SecretKey }));
const NewSecret = named(
  'NewSecret',
  strictObject({ PublicKey: Type.String(), SecretKey, OldEndsAt: Moment }),
);

const clientParts = {
  Scopes: Type.Optional(nullable(Type.Array(Scope, { minItems: 1 }))),
  Networks: Type.Optional(nullable(Type.Array(Type.String(), { maxItems: 100 }))),
  KnownByAddress: Type.Optional(nullable(Type.Boolean())),
};
const ClientName = Type.String({ minLength: 1, maxLength: 255 });
export const ClientChangeBody = example(
  named('ClientChange', strictObject({ Name: Type.Optional(nullable(ClientName)), ...clientParts })),
  { Scopes: ['sync:read'] },
);
export const ClientBody = example(named('ClientWish', strictObject({ Name: ClientName, ...clientParts })), {
  Name: 'erp',
  Scopes: ['sync:write', 'sync:read'],
  Networks: ['10.0.0.0/8'],
});
export const RotationBody = strictObject({
  Hours: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 9999, default: 24 }))),
});
export const ClientKey = Type.Object({ publicKey: Type.String() });
const noClient = {
  422: answer('There is no such client', Refusal, refusalExample(422, 'CLIENT_NOT_FOUND')),
};
export const clientsAnswers = { 200: answer('The clients', page('ClientsEnvelope', Client)), ...refusals };
export const clientAnswers = {
  200: answer('The client', about('ClientEnvelope', Client)),
  422: answer(
    'There is no such client, or such a client cannot be',
    Refusal,
    refusalExample(422, 'CLIENT_NOT_FOUND'),
  ),
  ...refusals,
};
export const newClientAnswers = {
  200: answer('The client, with its secret', about('NewClientEnvelope', NewClient)),
  422: answer('Such a client cannot be', Refusal, refusalExample(422, 'INVALID_CLIENT')),
  ...refusals,
};
export const newSecretAnswers = {
  200: answer('The new secret', about('NewSecretEnvelope', NewSecret)),
  ...noClient,
  ...refusals,
};
export const revokedAnswers = {
  200: answer(
    'The client is shut out. If it was the last of scope `admin`, the command line makes another.',
    Empty,
  ),
  ...noClient,
  ...refusals,
};
