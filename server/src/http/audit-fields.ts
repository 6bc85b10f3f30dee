import type { AuditRow } from '../core/journal/audit.ts';

/** A row of the journal as it stands in an answer and in an export. */
export function auditFields(row: AuditRow) {
  return {
    Position: row.position,
    ID: row.id,
    At: row.at,
    Actor: row.actor,
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
    Seal: row.seal?.toString('hex') ?? null,
  };
}
