import type { FastifyInstance } from 'fastify';
import { type AuditStore, readAudit, verifyJournal } from '../../../core/journal/audit.ts';
import type { Seal, Verdict } from '../../../core/journal/chain.ts';
import { auditFields } from '../../audit-fields.ts';
import { debugOf } from '../../call.ts';
import { pageEnvelope, recordEnvelope } from '../../envelope.ts';
import { isFlagged, pageOf, textOf } from '../../query.ts';
import { AuditQuery, auditAnswers, verdictAnswers } from '../../schemas/admin.ts';
import { CallHeaders, CallQuery } from '../../schemas/requests.ts';

export interface AuditTools {
  readonly store: AuditStore;
  readonly seal: Seal;
}

/** `audit`: the journal of what was done and by whom, and whether it is as it was written. */
export function auditRoutes(app: FastifyInstance, { store, seal }: AuditTools): void {
  const scope = 'admin' as const;
  let verifying: Promise<Verdict> | undefined;

  /** It reads every row: whoever asks meanwhile gets the same answer. */
  function verifyOnce(): Promise<Verdict> {
    verifying ??= verifyJournal(store, seal).finally(() => {
      verifying = undefined;
    });
    return verifying;
  }

  app.get(
    '/audit',
    {
      config: { scope, query: ['order', 'after', 'principal', 'reads', 'pageSize'] },
      schema: {
        operationId: 'audit',
        summary: 'The journal, in order',
        description:
          'Rows get their place, and are seen here, within a second. Whoever reads on from `result.record.After` misses nothing and gets nothing twice. `order=newest` reads back from the newest row.',
        tags: ['admin'],
        querystring: AuditQuery,
        headers: CallHeaders,
        response: auditAnswers,
      },
    },
    async (request) => {
      const { pageSize } = pageOf(request);
      const sent = {
        order: textOf(request, 'order'),
        after: textOf(request, 'after'),
        principal: textOf(request, 'principal'),
        reads: isFlagged(request, 'reads', true),
      };
      const { rows, after, more } = await readAudit(sent, pageSize, store);
      const count = rows.length;
      const page = { totalCount: count, count, page: 1, pageSize };
      return pageEnvelope(page, rows.map(auditFields), debugOf(request), { After: after, More: more });
    },
  );

  app.get(
    '/audit/verify',
    {
      config: { scope },
      schema: {
        operationId: 'verifyAudit',
        summary: 'Whether the journal is as it was written',
        description:
          'Reads every row, which takes a while where there are millions. `LastPosition` and `LastSeal` are to be noted elsewhere: nothing else tells a journal whose end was cut off. `anagrafe audit verify --expect` compares.',
        tags: ['admin'],
        querystring: CallQuery,
        headers: CallHeaders,
        response: verdictAnswers,
      },
    },
    async (request) => recordEnvelope(verdictFields(await verifyOnce()), debugOf(request)),
  );
}

/** An end that is not sound is not worth noting. */
function verdictFields(verdict: Verdict) {
  const { sound, rows } = verdict;
  return {
    Sound: sound,
    Rows: rows,
    Position: sound ? null : verdict.position,
    Fault: sound ? null : verdict.fault,
    LastPosition: sound ? verdict.last.position : null,
    LastSeal: sound ? verdict.last.seal.toString('hex') : null,
  };
}
