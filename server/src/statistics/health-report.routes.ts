import { Type } from 'typebox';
import { answers, count, Moment, recordPage } from '../http/answer-schemas.ts';
import { recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery, named, nullable, oneOf, strictObject } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { version } from '../lib/package-folder.ts';
import type { Health } from './health.ts';

interface HealthReport {
  readonly examine: () => Promise<Health>;
  readonly embedded: boolean;
}

const startedAt = new Date(Date.now() - process.uptime() * 1000);

/** Registers `GET /health`: versions, and the state of what the service depends on. */
export function healthReportRoute(app: Api, { examine, embedded }: HealthReport): void {
  app.get(
    '/health',
    {
      config: { permission: 'service.read' },
      schema: {
        operationId: 'healthReport',
        summary: 'Get the state of the service',
        description:
          'Returns versions, the database, the disk of the data folder, the certificate of the public URL and the mail server, as the responding node sees them. The certificate and the mail server are examined once a minute at most.',
        tags: ['admin'],
        querystring: CallQuery,
        headers: CallHeaders,
        response: healthAnswers,
      },
    },
    async (request) => recordEnvelope(healthFields(await examine(), embedded), debugOf(request)),
  );
}

function healthFields({ database, disk, certificate, mail, backup }: Health, embedded: boolean) {
  return {
    Version: version,
    Node: process.versions.node,
    StartedAt: startedAt,
    Database: {
      Kind: embedded ? 'embedded' : 'external',
      Version: database.version,
      Bytes: database.bytes,
    },
    Disk: disk && { Bytes: disk.bytes, Free: disk.free },
    Certificate: certificate && {
      Host: certificate.host,
      ValidTo: certificate.validTo,
      Error: certificate.error,
    },
    Backup: backup && { TakenAt: backup.takenAt },
    Mail: mail && { Pending: database.mailsPending, Error: mail.error },
  };
}

const ErrorText = (description: string) => nullable(Type.String({ description }));
const HealthSchema = named(
  'HealthReport',
  strictObject({
    Version: Type.String(),
    Node: Type.String({ description: 'The version of Node.js.' }),
    StartedAt: Moment,
    Database: strictObject({
      Kind: oneOf(['embedded', 'external']),
      Version: Type.String({ description: 'The version of PostgreSQL.' }),
      Bytes: count('Size of the database in bytes.'),
    }),
    Disk: nullable(strictObject({ Bytes: count('Size of the disk in bytes.'), Free: count('Free bytes.') })),
    Certificate: nullable(
      strictObject({
        Host: Type.String(),
        ValidTo: nullable(Moment),
        Error: ErrorText('Why the certificate cannot be read, or is not valid.'),
      }),
    ),
    Backup: nullable(
      strictObject(
        { TakenAt: nullable(Moment) },
        { description: 'The newest scheduled backup; null if none are configured.' },
      ),
    ),
    Mail: nullable(
      strictObject({
        Pending: count('Mails to users that wait to be sent.'),
        Error: ErrorText('Why the mail server cannot be used.'),
      }),
    ),
  }),
);
const healthAnswers = answers('The state of the service.', recordPage('HealthEnvelope', HealthSchema));
