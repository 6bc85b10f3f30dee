import { Type } from 'typebox';
import { actorFields, answers, count, page, recordPage } from '../http/answer-schemas.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  debug,
  defaulted,
  Id,
  named,
  nullable,
  oneOf,
  order,
  paging,
  strictObject,
} from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { type AuditRow, type AuditStore, readAudit, verifyAuditLog } from './audit-log.ts';
import { chainErrors, type HashRow, type Verdict } from './hash-chain.ts';

export interface AuditTools {
  readonly store: AuditStore;
  readonly hashRow: HashRow;
}

export function auditRoutes(app: Api, { store, hashRow }: AuditTools): void {
  const about = { tags: ['admin'], headers: CallHeaders };
  let verifying: Promise<Verdict> | undefined;

  /** Shares one verification among concurrent requests, because it reads every row. */
  function verifyOnce(): Promise<Verdict> {
    verifying ??= verifyAuditLog(store, hashRow).finally(() => {
      verifying = undefined;
    });
    return verifying;
  }

  app.get(
    '/audit',
    {
      schema: {
        operationId: 'audit',
        summary: 'List the audit log',
        description:
          'Returns rows of the audit log in the order of the hash chain. A new row appears within one second. To get the next rows, send `result.record.After` as `after`: no row is missed or returned twice. Large rows make a page shorter than `pageSize`; read on while `result.record.More` is true.',
        ...about,
        querystring: AuditQuery,
        response: auditAnswers,
      },
    },
    async (request) => {
      const { order, after: from = null, principal: principalId = null, reads, pageSize } = request.query;
      const query = { order, after: from, principalId, reads, limit: pageSize };
      const { rows, after, more } = await readAudit(query, store);
      const page = { totalCount: rows.length, pageSize };
      return pageEnvelope(page, rows.map(auditFields), debugOf(request), { After: after, More: more });
    },
  );

  app.get(
    '/audit/verify',
    {
      schema: {
        operationId: 'verifyAudit',
        summary: 'Verify the audit log',
        description:
          'Verifies the hash chain from the first row to the last, which takes a while with millions of rows. Store `LastPosition` and `LastHash` outside the service: only a comparison with them, by `anagrafe audit verify --expect`, detects rows removed from the end.',
        ...about,
        querystring: CallQuery,
        response: verdictAnswers,
      },
    },
    async (request) => recordEnvelope(verdictFields(await verifyOnce()), debugOf(request)),
  );
}

/** The last position and hash are null for a broken chain, so that they are not stored as a reference. */
function verdictFields(verdict: Verdict) {
  const { sound, rows } = verdict;
  return {
    Sound: sound,
    Rows: rows,
    Position: sound ? null : verdict.position,
    Error: sound ? null : verdict.error,
    LastPosition: sound ? verdict.last.position : null,
    LastHash: sound ? verdict.last.hash.toString('hex') : null,
  };
}

export function auditFields(row: AuditRow) {
  return {
    Position: row.position,
    ID: row.id,
    At: row.at,
    Actor: row.kind,
    ClientID: row.clientId,
    UserID: row.userId,
    Address: row.address,
    RequestId: row.requestId,
    CallID: row.callId,
    Action: row.action,
    IRID: row.principalId,
    Registered: row.registered,
    Reset: row.reset,
    Deleted: row.deleted,
    Details: row.details,
    Hash: row.hash?.toString('hex') ?? null,
  };
}

const Position = Type.Integer({ minimum: 1, description: 'The position in the hash chain, from 1.' });
const AuditRowSchema = named(
  'AuditRow',
  strictObject(
    {
      Position,
      ID: Id,
      ...actorFields,
      Action: Type.String({ description: 'The action, such as `update` or `client.created`.' }),
      IRID: nullable(Type.Integer({ ...Id, description: 'The ID of the principal.' })),
      Registered: nullable(Type.Array(Id, { description: 'The IDs of the registered users.' })),
      Reset: nullable(Type.Array(Id, { description: 'The IDs of the users whose passwords were reset.' })),
      Deleted: nullable(Type.Array(Id, { description: 'The IDs of the deleted users.' })),
      Details: nullable(Type.Record(Type.String(), Type.Unknown())),
      Hash: Type.String({
        description: 'The keyed hash over this row and the hash of the previous row, in hexadecimal.',
      }),
    },
    { description: 'A row of the audit log.' },
  ),
);
const AuditCursor = named(
  'AuditPage',
  strictObject({
    After: Type.Integer({ minimum: 0, description: 'Send it as `after` in the next request.' }),
    More: Type.Boolean({ description: 'True if the next request returns rows immediately.' }),
  }),
);

const VerdictSchema = named(
  'AuditVerification',
  strictObject({
    Sound: Type.Boolean({ description: 'True if all rows are unchanged.' }),
    Rows: Type.Integer({ minimum: 0, description: 'Number of valid rows from the first row.' }),
    Position: nullable(
      Type.Integer({ description: 'The position of the first invalid row. Null if all are valid.' }),
    ),
    Error: nullable(oneOf(chainErrors, { description: 'What happened to the row at `Position`.' })),
    LastPosition: nullable(count('The position of the last row. Null if a row is not valid.')),
    LastHash: nullable(Type.String({ description: 'The hash of the last row. Null if a row is not valid.' })),
  }),
);

const AuditQuery = Type.Object({
  ...order,
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'The position of the last row that was read. Without it, the list begins with the first row of the order.',
    }),
  ),
  principal: Type.Optional(Type.Integer({ ...Id, description: 'Returns only rows of this principal.' })),
  reads: defaulted(Type.Boolean({ default: true, description: 'False excludes rows of read operations.' })),
  pageSize: paging.pageSize,
  ...debug,
});

const auditAnswers = answers('Rows of the audit log.', page('AuditEnvelope', AuditRowSchema, AuditCursor));
const verdictAnswers = answers(
  'The result of the verification.',
  recordPage('AuditVerificationEnvelope', VerdictSchema),
);
