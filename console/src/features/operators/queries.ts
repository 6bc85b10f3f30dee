import type { CreateOperator, OperatorChange } from '@anagrafe/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe, useChange } from '../session/api-client.ts';
import { sessionKey, useMay } from '../session/session.ts';

const key = ['operators'];

/** Reads all operators, in the order of their creation. */
export function useOperators() {
  const { admin } = useAnagrafe();
  const may = useMay();
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => admin.operators.list({ signal }),
    enabled: may('service.read'),
  });
}

export function useInviteOperator() {
  const { admin } = useAnagrafe();
  return useChange((operator: CreateOperator) => admin.operators.create(operator), key);
}

export function useChangeOperator(id: number) {
  const { admin } = useAnagrafe();
  return useChange(
    (change: OperatorChange) => admin.operators.change(id, change),
    () => [key, sessionKey],
  );
}

export function useResetOperator(id: number) {
  const { admin } = useAnagrafe();
  return useChange((Mail: boolean) => admin.operators.reset(id, { Mail }), key);
}

/** The sessions of an operator, or the own ones. */
export interface OperatorSessions {
  readonly sessions: ReturnType<typeof useSessions>;
  /** Ends one session; all, or the other ones, for null. */
  readonly end: ReturnType<typeof useEnd>;
}

export function useSessionsOf(id: number): OperatorSessions {
  const { operators } = useAnagrafe().admin;
  const queryKey = [...key, id, 'sessions'];
  return {
    sessions: useSessions(queryKey, (signal) => operators.sessions(id, { signal })),
    end: useEnd(queryKey, async (session) => {
      if (session === null) await operators.endSessions(id);
      else await operators.endSession(id, session);
    }),
  };
}

export function useOwnSessions(): OperatorSessions {
  const { console: api } = useAnagrafe();
  const queries = useQueryClient();
  const queryKey = ['own-sessions'];
  return {
    sessions: useSessions(queryKey, (signal) => api.sessions({ signal })),
    end: useEnd(queryKey, async (session) => {
      if (session === null) await api.endOtherSessions();
      else await api.endSession(session);
      // The session that has ended may be this one.
      void queries.invalidateQueries({ queryKey: sessionKey });
    }),
  };
}

type ListedSessions = Awaited<ReturnType<ReturnType<typeof useAnagrafe>['console']['sessions']>>;

function useSessions(queryKey: readonly unknown[], read: (signal: AbortSignal) => Promise<ListedSessions>) {
  return useQuery({ queryKey, queryFn: ({ signal }) => read(signal) });
}

function useEnd(queryKey: readonly unknown[], end: (session: string | null) => Promise<void>) {
  return useChange(end, queryKey);
}
