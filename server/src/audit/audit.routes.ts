import { type Static, Type } from 'typebox';
import { actorFields, answers, count, errorAnswer, page, recordPage } from '../http/answer-schemas.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import {
  CallHeaders,
  CallQuery,
  dateText,
  debug,
  defaulted,
  Id,
  named,
  nullable,
  oneOf,
  order,
  paging,
  pathOf,
  strictObject,
} from '../http/schemas.ts';
import type { Api, Validated } from '../http/validation.ts';
import { readDate } from '../lib/dates.ts';
import { ApiError } from '../lib/field-errors.ts';
import {
  type AuditListing,
  type AuditRow,
  type AuditStore,
  actions,
  actorKinds,
  type ChangedValue,
  readAudit,
  type SomeChanges,
  verifyAuditLog,
} from './audit-log.ts';
import { type ChainKeys, chainErrors, type Verdict } from './hash-chain.ts';

export interface AuditTools {
  readonly store: AuditStore;
  readonly chainKeys: ChainKeys;
}

export function auditRoutes(app: Api, { store, chainKeys }: AuditTools): void {
  const about = { tags: ['admin'], headers: CallHeaders };
  let verifying: Promise<Verdict> | undefined;

  /** Shares one verification among concurrent requests, because it reads every row. */
  function verifyOnce(): Promise<Verdict> {
    verifying ??= verifyAuditLog(store, chainKeys).finally(() => {
      verifying = undefined;
    });
    return verifying;
  }

  app.get(
    '/audit',
    {
      config: { permission: 'service.read' },
      schema: {
        operationId: 'audit',
        summary: 'List the audit log',
        description:
          'Returns rows of the audit log in the order of the hash chain. A new row appears within one second. To get the next rows, send `result.record.After` as `after`: no row is missed or returned twice. Large rows make a page shorter than `pageSize`, and a page with filters may be empty; read on while `result.record.More` is true. `Changes` has the old and new values of changed fields until they expire or the principal or user is deleted.',
        ...about,
        querystring: AuditQuery,
        response: auditAnswers,
      },
    },
    async (request) => {
      const { rows, after, more } = await readAudit(listingOf(request.query), store);
      const page = { totalCount: rows.length, pageSize: request.query.pageSize };
      const records = rows.map(([row, changes]) => auditFields(row, changes));
      return pageEnvelope(page, records, debugOf(request), { After: after, More: more });
    },
  );

  app.get(
    '/audit/:position/changes',
    {
      config: { permission: 'service.read' },
      schema: {
        operationId: 'auditChanges',
        summary: 'List the changed values of an audit row',
        description:
          'Returns the old and new values of the changed fields of one row, user by user; those of the principal come first. Use it for rows whose `MoreChanges` is true. To get the next users, send `result.record.After` as `after`.',
        ...about,
        params: RowPath,
        querystring: ChangesQuery,
        response: changesAnswers,
      },
    },
    async (request) => {
      const { after = -1, pageSize } = request.query;
      const found = await store.changesAt(request.params.position, { after, limit: pageSize });
      if (!found) throw new ApiError('AUDIT_ROW_NOT_FOUND');
      const { changes, more } = found;
      const last = changes.at(-1);
      const record = { After: last ? (last.userId ?? 0) : Math.max(after, 0), More: more };
      const page = { totalCount: changes.length, pageSize: Math.max(changes.length, 1) };
      return pageEnvelope(page, changes.map(changeFields), debugOf(request), record);
    },
  );

  app.get(
    '/audit/verify',
    {
      config: { permission: 'service.read' },
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

function listingOf(query: Validated<Static<typeof AuditQuery>>): AuditListing {
  const { order, pageSize, reads, after = null, principal = null, user = null, client = null } = query;
  const date = (text: string | undefined) => (text === undefined ? null : readDate(text));
  return {
    order,
    after,
    limit: pageSize,
    reads,
    principalId: principal,
    userId: user,
    signIns: query.signIns ?? null,
    clientId: client,
    action: query.action ?? null,
    actor: query.actor ?? null,
    from: date(query.from),
    until: date(query.until),
  };
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

export function auditFields(row: AuditRow, { changes, more }: SomeChanges) {
  return {
    Position: row.position,
    ID: row.id,
    At: row.at,
    Actor: row.kind,
    ClientID: row.clientId,
    ClientName: row.clientName,
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
    Changes: changes.map(changeFields),
    MoreChanges: more,
    Hash: row.hash?.toString('hex') ?? null,
  };
}

function changeFields({ userId, field, old, new: value }: ChangedValue) {
  return { UserID: userId, Field: field, Old: old, New: value };
}

const Position = Type.Integer({ minimum: 1, description: 'The position in the hash chain, from 1.' });
const AuditAction = named('AuditAction', oneOf(actions, { description: 'The action of a row.' }));
const AuditChange = named(
  'AuditChange',
  strictObject(
    {
      UserID: nullable(Type.Integer({ ...Id, description: 'Null for a field of the principal.' })),
      Field: Type.String(),
      Old: Type.Unknown({
        description: 'A text, an object for `Attributes`, null if the field was not set.',
      }),
      New: Type.Unknown(),
    },
    { description: 'The old and new value of a changed field. Passwords are not included.' },
  ),
);
const AuditRowSchema = named(
  'AuditRow',
  strictObject(
    {
      Position,
      ID: Id,
      ...actorFields,
      ClientName: nullable(Type.String({ description: 'The name of the client or operator.' })),
      Action: Type.String({ description: 'The action, such as `update` or `client.created`.' }),
      IRID: nullable(Type.Integer({ ...Id, description: 'The ID of the principal.' })),
      Registered: nullable(Type.Array(Id, { description: 'The IDs of the registered users.' })),
      Reset: nullable(Type.Array(Id, { description: 'The IDs of the users whose passwords were reset.' })),
      Deleted: nullable(Type.Array(Id, { description: 'The IDs of the deleted users.' })),
      Details: nullable(Type.Record(Type.String(), Type.Unknown())),
      Changes: Type.Array(AuditChange, {
        description:
          'The changed values of the first users of the row. Empty if no field was changed, or if the values have expired or their user or principal was deleted.',
      }),
      MoreChanges: Type.Boolean({ description: 'True if `Changes` does not contain all changed values.' }),
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

const idFilter = (description: string) => Type.Optional(Type.Integer({ ...Id, description }));
const After = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const AuditQuery = Type.Object({
  ...order,
  after: Type.Optional(
    Type.Integer({
      ...After,
      description:
        'The position of the last row that was read. Without it, the list begins with the first row of the order.',
    }),
  ),
  principal: idFilter('Returns only rows of this principal.'),
  user: idFilter('Returns only rows that name this user, and rows of its own actions.'),
  signIns: Type.Optional(
    Type.Boolean({
      description:
        'True returns only sign-ins and sign-outs of users, false only changes of records and ended sessions. Default: all rows.',
    }),
  ),
  action: Type.Optional(AuditAction),
  actor: Type.Optional(oneOf(actorKinds, { description: 'Returns only rows of this kind of actor.' })),
  client: idFilter('Returns only rows of this API client.'),
  from: Type.Optional(
    dateText('Returns only rows from this time on: `2026-01-31` or `2026-01-31T08:00:00Z`.'),
  ),
  until: Type.Optional(dateText('Returns only rows before this time.')),
  reads: defaulted(Type.Boolean({ default: true, description: 'False excludes rows of read operations.' })),
  pageSize: paging.pageSize,
  ...debug,
});

const RowPath = pathOf('AUDIT_ROW_NOT_FOUND', { position: Position });
const ChangesQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({ ...After, description: 'The ID of the last user that was read; 0 for the principal.' }),
  ),
  pageSize: defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: 'Maximum number of users per page.',
    }),
  ),
  ...debug,
});
const changesAnswers = answers('Changed values.', page('AuditChangesEnvelope', AuditChange, AuditCursor), {
  404: errorAnswer('There is no such row.', 'AUDIT_ROW_NOT_FOUND'),
});
const auditAnswers = answers('Rows of the audit log.', page('AuditEnvelope', AuditRowSchema, AuditCursor));
const verdictAnswers = answers(
  'The result of the verification.',
  recordPage('AuditVerificationEnvelope', VerdictSchema),
);
