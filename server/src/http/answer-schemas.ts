import { type TSchema, Type } from 'typebox';
import { type Code, codes } from '../lib/error-codes.ts';
import { Id, named, nullable, oneOf, strictObject, Uuid } from './schemas.ts';
import { statusOf } from './status.ts';

const errorCodes = (Object.keys(codes) as Code[]).filter((code) => codes[code] !== 'note');
export const Moment = Type.String({ format: 'date-time' });
export const Text = nullable(Type.String());
export const Count = Type.Integer({ minimum: 0 });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const ErrorCode = named('ErrorCode', oneOf(errorCodes));
export const ErrorDetail = named(
  'FieldError',
  strictObject(
    {
      code: ErrorCode,
      message: Type.String(),
      details: Type.Optional(
        named(
          'FieldErrorDetails',
          strictObject(
            {
              PrincipalID: nullable(Id),
              ExternalKey: Text,
              Denomination: Text,
              Vatnumber: Type.Optional(Text),
              Taxcode: Type.Optional(Text),
              Field: Type.Optional(
                Type.String({ description: 'The field of both principals that is alike.' }),
              ),
              Operation: Type.Optional(
                Type.Literal('reset', {
                  description: 'The `Operation` that the user item lacks, if it was meant as one.',
                }),
              ),
            },
            {
              description:
                'The other principal that the error is about. Its values are null if the caller does not have the scope `sync:read`, and `PrincipalID` if it is a new principal of the same call. `Vatnumber`, `Taxcode` and `Field` are those of a look-alike.',
            },
          ),
        ),
      ),
    },
    { description: 'A problem with one field of a record.' },
  ),
);

export const DebugSchema = named(
  'Debug',
  strictObject({
    RequestTime: Moment,
    ResponseTime: Moment,
    Duration: Type.Number({ description: 'Duration of the request in milliseconds.' }),
    ClientIP: Type.String(),
    RequestId: Type.String(),
    Help: Type.Optional(
      Type.String({ description: 'With an `errorCode`: the path of the page that explains it.' }),
    ),
  }),
);

function envelope(result: TSchema): TSchema {
  return strictObject({
    statusCode: Type.Integer(),
    errorCode: nullable(ErrorCode),
    message: Text,
    result,
    debug: nullable(DebugSchema),
  });
}

export function page(name: string, item: TSchema, record: TSchema = Type.Null()): TSchema {
  const result = strictObject({
    totalCount: Count,
    totalPages: Count,
    page: Type.Integer({ minimum: 1 }),
    count: Count,
    records: Type.Array(item),
    record,
  });
  return named(name, envelope(result));
}

export const recordPage = (name: string, record: TSchema) => page(name, Type.Never(), record);
export const Empty = page('EmptyEnvelope', Type.Never());
export const ErrorEnvelope = named('ErrorEnvelope', envelope(Type.Null()));

export const actorFields = {
  At: Moment,
  Actor: oneOf(['client', 'console', 'user', 'protected', 'operator', 'service']),
  ClientID: nullable(Id),
  UserID: nullable(Id),
  Address: Text,
  RequestId: Text,
  CallID: nullable(Uuid),
};

export const answer = (description: string, schema: TSchema, example?: unknown) => ({
  description,
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
});

export function errorExample(statusCode: number, errorCode: Code) {
  return {
    statusCode,
    errorCode,
    message: 'A message for people, in English or Italian.',
    result: null,
    debug: null,
  };
}

export const errorAnswer = (description: string, code: Code) =>
  answer(description, ErrorEnvelope, errorExample(statusOf(code), code));

export const errorAnswers = {
  400: errorAnswer('The body or a parameter is not valid.', 'INVALID_JSON'),
  401: errorAnswer('No valid credential.', 'UNAUTHENTICATED'),
  403: errorAnswer('The credential does not have the required scope.', 'FORBIDDEN'),
  413: errorAnswer('The body is too large.', 'BODY_TOO_LARGE'),
  415: errorAnswer('The body is not JSON in UTF-8, or is compressed.', 'UNSUPPORTED_MEDIA_TYPE'),
  429: errorAnswer('Too many calls. See `Retry-After`.', 'RATE_LIMITED'),
  500: errorAnswer('Internal error.', 'INTERNAL'),
  503: errorAnswer(
    'The service is overloaded, or the database is not available. See `Retry-After`.',
    'OVERLOADED',
  ),
};

/** The answers of a route: success, the errors of every route, and those of this one. */
export const answers = (
  description: string,
  schema: TSchema,
  errors: Readonly<Record<number, unknown>> = {},
) => ({
  200: answer(description, schema),
  ...errorAnswers,
  ...errors,
});
