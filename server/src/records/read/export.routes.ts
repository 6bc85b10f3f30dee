import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AuditLog } from '../../audit/audit-log.ts';
import { actorOf, rateLimitKey } from '../../clients/authentication.plugin.ts';
import { selectedTags } from '../../db/visibility.ts';
import { errorAnswer, errorAnswers } from '../../http/answer-schemas.ts';
import { qualitiesOf } from '../../http/request-options.ts';
import { debug, flag, Id, language, named, nullable, oneOf, strictObject } from '../../http/schemas.ts';
import type { Api } from '../../http/validation.ts';
import { sortedTags, tagPattern, tagsMax } from '../../lib/tags.ts';
import { principalFields } from '../fields/fields.ts';
import type { Exporter } from './export.ts';
import { type ExportFormat, exportFormats, type FormatOptions, separators } from './export-format.ts';
import { filterText, principal, user } from './listing.schemas.ts';
import type { ListingStore } from './listing.store.ts';

interface ExportTools {
  readonly exporter: Exporter;
  readonly listing: ListingStore;
  readonly auditLog: AuditLog;
}

export const contentTypes: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  spreadsheet: 'text/csv',
};

const fileNames: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'anagrafe.ndjson',
  csv: 'anagrafe.csv',
  spreadsheet: 'anagrafe-spreadsheet.csv',
};

/** `irs/export`: all principals and users, or those of one principal, as a stream. */
export function exportRoute(app: Api, { exporter, listing, auditLog }: ExportTools): void {
  app.addHook('preClose', async () => exporter.stop());

  app.get(
    '/irs/export',
    {
      // A HEAD request would run the whole export.
      exposeHeadRoute: false,
      config: { permission: 'records.export', limited: true },
      schema: {
        operationId: 'exportRecords',
        summary: 'Export principals and users',
        description:
          'Streams all principals with their users, or one principal, as they are stored at one moment, in the order of principal IDs. NDJSON has one principal with up to 1,000 of its users on each line; a principal with more continues on further lines. CSV has one user on each line, and can be imported again. `spreadsheet` is CSV to open in a spreadsheet: a value that would be run as a formula has an apostrophe in front. At most two exports run at once, and one for each client. A client that reads nothing for a minute is disconnected.',
        tags: ['irs'],
        querystring: ExportQuery,
        headers: ExportHeaders,
        response: exportAnswers,
      },
    },
    async (request, reply) => {
      const { id = null, externalKey = null, tags, hashes = false, separator = ',' } = request.query;
      if (hashes) request.requirePermission('hashes.export');
      const format = request.query.format ?? acceptedFormat(request);
      const { tags: callerTags } = request.caller;
      const requested = tags ? sortedTags(tags.split(',')) : null;
      const selection = {
        principalId: id,
        externalKey,
        tags: selectedTags(requested, callerTags),
        callerTags,
      };
      const principalId = await listing.findPrincipalId(selection);
      const stream = await exporter.start({
        client: rateLimitKey(request),
        selection,
        format,
        hashes,
        separator,
      });
      await auditLog
        .note(actorOf(request), {
          action: 'records.exported',
          principalId,
          details: {
            format,
            hashes,
            all: [id, externalKey, selection.tags].every((value) => value === null),
          },
        })
        .catch((error) => {
          stream.destroy();
          throw error;
        });
      return reply
        .type(`${contentTypes[format]}; charset=utf-8`)
        .header('content-disposition', `attachment; filename="${fileNames[format]}"`)
        .header('vary', 'Accept')
        .send(stream);
    },
  );
}

/** Returns CSV if `Accept` prefers it to NDJSON (RFC 9110), otherwise NDJSON. */
export function acceptedFormat({ headers }: FastifyRequest): ExportFormat {
  const qualities = new Map(qualitiesOf(headers.accept));
  const qualityOf = (type: string) => qualities.get(type) ?? 0;
  const others = Math.max(qualityOf(contentTypes.ndjson), qualityOf('application/*'), qualityOf('*/*'));
  const csv = Math.max(qualityOf(contentTypes.csv), qualityOf('text/*'));
  return csv > 0 && csv >= others ? 'csv' : 'ndjson';
}

const tagsPattern = tagPattern.replace('$', `(?:,${tagPattern.slice(1, -1)}){0,${tagsMax - 1}}$`);

const ExportQuery = Type.Object({
  id: Type.Optional(Type.Integer({ ...Id, description: 'The ID of one principal.' })),
  externalKey: Type.Optional(
    filterText(principalFields.ExternalKey.maxLength, 'The external key of one principal.'),
  ),
  tags: Type.Optional(
    Type.String({
      maxLength: (principalFields.Tags.maxLength + 1) * tagsMax,
      pattern: tagsPattern,
      description: 'Only principals that have one of these tags, with commas between them.',
    }),
  ),
  format: Type.Optional(
    oneOf(Object.keys(exportFormats) as ExportFormat[], { description: 'Takes precedence over `Accept`.' }),
  ),
  separator: Type.Optional(
    oneOf(Object.keys(separators) as FormatOptions['separator'][], {
      description:
        'The separator of CSV. Default: a comma. Excel opens a file with the one of its language: a semicolon where numbers have a decimal comma.',
    }),
  ),
  hashes: flag('Includes the password hashes. Requires the scope `admin`.'),
  ...debug,
});

export const ExportHeaders = Type.Object({
  Accept: Type.Optional(Type.String({ description: '`application/x-ndjson` (the default) or `text/csv`.' })),
  ...language,
});

const ExportedUser = named(
  'ExportedUser',
  strictObject(
    {
      ...user,
      PasswordHash: Type.Optional(
        nullable(
          Type.String({
            description: 'Only with `hashes=true`; null for an invited user. `irs/insert` accepts it.',
          }),
        ),
      ),
    },
    { description: 'A user in an export.' },
  ),
);
const ExportedPrincipal = named(
  'ExportedPrincipal',
  strictObject(
    { ...principal, Users: Type.Array(ExportedUser, { maxItems: 1000 }) },
    { description: 'A line of an export: a principal with up to 1,000 of its users.' },
  ),
);

const exportAnswers = {
  200: {
    description: 'The records.',
    content: {
      [contentTypes.ndjson]: { schema: ExportedPrincipal },
      [contentTypes.csv]: { schema: Type.String() },
    },
  },
  ...errorAnswers,
  429: errorAnswer(
    'Too many calls, or two exports, or one of the client, are running. See `Retry-After`.',
    'RATE_LIMITED',
  ),
};
