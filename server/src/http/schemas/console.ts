import { Type } from 'typebox';
import { answer, Moment, page, refusals } from './answers.ts';
import { named, nullable, strictObject } from './named.ts';

const ConsoleSession = named(
  'ConsoleSession',
  strictObject({
    State: Type.String({ enum: ['protected', 'signed-in', 'signed-out'] }),
    Client: nullable(strictObject({ PublicKey: Type.String(), Name: Type.String() })),
    ExpiresAt: nullable(Moment),
  }),
);

export const ConsoleKeys = named(
  'ConsoleKeys',
  strictObject({ PublicKey: Type.String(), SecretKey: Type.String({ format: 'password' }) }),
);

export const consoleAnswers = {
  200: answer('Who is signed in', page('ConsoleSessionEnvelope', Type.Never(), ConsoleSession)),
  ...refusals,
};
