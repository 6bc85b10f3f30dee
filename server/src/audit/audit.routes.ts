import { Type } from 'typebox';
import { actorFields, answers, Count, page, recordPage, Text } from '../http/answer-schemas.ts';
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
  const config = { scope: 'admin' } as const;
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
      config,
      schema: {
        operationId: 'audit',
        summary: 'The journal, in order',
        description:
          'Rows get their place, and are seen here, within a second. Whoever reads on from `result.record.After` misses nothing and gets nothing twice. `order=newest` reads back from the newest row.',
        ...about,
        querystring: AuditQuery,
        response: auditAnswers,
      },
    },
    async (request) => {
      const { order, after: from = null, principal: principalId = null, reads, pageSize } = request.query;
      const query = { order, after: from, principalId, reads };
      const { rows, after, more } = await readAudit(query, pageSize, store);
      const page = { totalCount: rows.length, pageSize };
      return pageEnvelope(page, rows.map(auditFields), debugOf(request), { After: after, More: more });
    },
  );

  app.get(
    '/audit/verify',
    {
      config,
      schema: {
        operationId: 'verifyAudit',
        summary: 'Whether the journal is as it was written',
        description:
          'Reads every row, which takes a while where there are millions. `LastPosition` and `LastHash` are to be noted elsewhere: nothing else tells a journal whose end was cut off. `anagrafe audit verify --expect` compares.',
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
    Details: row.details,
    Hash: row.hash?.toString('hex') ?? null,
  };
}

const Position = Type.Integer({ minimum: 1 });
const Ids = nullable(Type.Array(Id));
const JournalRow = named(
  'AuditRow',
  strictObject({
    Position,
    ID: Id,
    ...actorFields,
    Action: Type.String(),
    IRID: nullable(Id),
    Registered: Ids,
    Reset: Ids,
    Details: nullable(Type.Record(Type.String(), Type.Unknown())),
    Hash: Type.String({ description: 'over the row and the seal before it, in hexadecimal digits' }),
  }),
);
const JournalFeed = named(
  'AuditPage',
  strictObject({
    After: Type.Integer({ minimum: 0, description: 'what to give as `after` to read on' }),
    More: Type.Boolean({ description: 'whether there is more at once' }),
  }),
);

const VerdictSchema = named(
  'AuditVerification',
  strictObject({
    Sound: Type.Boolean(),
    Rows: Type.Integer({ minimum: 0, description: 'how many rows hold, from the beginning on' }),
    Position: nullable(Type.Integer({ description: 'the first place where the journal does not hold' })),
    Error: nullable(oneOf(chainErrors)),
    LastPosition: nullable(Count),
    LastHash: Text,
  }),
);

const AuditQuery = Type.Object({
  ...order,
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'the position that was read last; without it, from the first one in the order',
    }),
  ),
  principal: Type.Optional(Type.Integer({ ...Id, description: 'only what was done to this principal' })),
  reads: defaulted(
    Type.Boolean({ default: true, description: 'whether rows of those who have only read are among them' }),
  ),
  pageSize: paging.pageSize,
  ...debug,
});

const auditAnswers = answers('Rows of the journal, in order', page('AuditEnvelope', JournalRow, JournalFeed));
const verdictAnswers = answers('What was found', recordPage('VerdictEnvelope', VerdictSchema));
