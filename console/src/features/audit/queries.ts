import type { AuditOptions, AuditRow } from '@anagrafe/client';
import { useMutation } from '@tanstack/react-query';
import { useNewestFirst } from '../../ui/newest-first.ts';
import { useAnagrafe, usePatientAnagrafe } from '../session/api-client.ts';

interface AuditLogQuery extends Pick<AuditOptions, 'action' | 'actor' | 'client' | 'from' | 'until'> {
  /** Principal ID; null reads the rows of all principals. */
  readonly principal?: number | null;
  /** User ID; null reads the rows of all users. */
  readonly user?: number | null;
  /** With a user: true reads only sign-ins, false only changes. */
  readonly signIns?: boolean;
  /** Includes rows that record read access. */
  readonly reads?: boolean;
  /** Reads this position and older rows that match the filter; null starts at the newest row. */
  readonly position?: number | null;
  readonly pageSize: number;
}

/** Reads the audit log in keyset pages, newest row first. */
export function useAuditLog(query: AuditLogQuery) {
  const { principal = null, user = null, reads = true, position = null, pageSize, ...others } = query;
  const { admin } = useAnagrafe();
  return useNewestFirst<AuditRow, number>({
    key: ['audit', principal, user, reads, others],
    pageSize,
    start: position === null ? null : position + 1,
    read: async ({ order, after, count, signal }) => {
      const about = { principal: principal ?? undefined, user: user ?? undefined, reads, ...others };
      const page = await admin.audit.rows({ ...about, order, pageSize: count, signal }).page(after);
      const { records } = page;
      return { ...page, first: records[0]?.Position ?? null, reachedAt: records.at(-1)?.At ?? null };
    },
  });
}

/** Verifies the hash chain of the audit log. The timeout is long because the service reads every row. */
export function useVerify() {
  const { admin } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => admin.audit.verify({ timeoutMs: 300_000 }) });
}
