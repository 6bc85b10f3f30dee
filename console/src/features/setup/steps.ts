import { useQuery } from '@tanstack/react-query';
import { useAnagrafe } from '../session/api-client.ts';
import { useSession } from '../session/session.ts';

export type StepName = 'operator' | 'client' | 'hosts' | 'mail' | 'import';

export interface Step {
  readonly name: StepName;
  readonly isDone: boolean;
}

/** Reads which steps of the set-up are done, from what the service has stored and from its settings. */
export function useSetupSteps() {
  const { admin } = useAnagrafe();
  const { State, SendsMail } = useSession().data ?? {};
  const { data, error, refetch } = useQuery({
    queryKey: ['setup', State],
    queryFn: async ({ signal }) => {
      const [operators, clients, settings, statistics] = await Promise.all([
        admin.operators.list({ signal }),
        admin.clients.list({ signal }),
        admin.settings({ signal }),
        admin.statistics({ signal }),
      ]);
      const isSet = (name: string) => settings.find(({ Name }) => Name === name)?.Value !== '(not set)';
      return {
        operator: operators.some((operator) => operator.State === 'active'),
        client: clients.some(({ RevokedAt }) => RevokedAt === null),
        hosts: isSet('ANAGRAFE_PUBLIC_URL'),
        import: statistics.Principals > 0,
      };
    },
    refetchOnWindowFocus: false,
  });
  const steps: readonly Step[] | undefined = data && [
    { name: 'operator', isDone: data.operator },
    { name: 'client', isDone: data.client },
    { name: 'hosts', isDone: data.hosts },
    { name: 'mail', isDone: SendsMail === true },
    { name: 'import', isDone: data.import },
  ];
  return { steps, error, refetch };
}
