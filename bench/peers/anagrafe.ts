import { insertPrincipals } from '../people.ts';
import type { AtEnd } from '../running/endings.ts';
import { startService } from '../running/service.ts';
import type { Contestant } from './contestant.ts';

export async function startAnagrafe(atEnd: AtEnd): Promise<Contestant> {
  const service = await startService(atEnd);
  const [ID] = await insertPrincipals(service, 1);
  return {
    name: 'Anagrafe',
    way: 'in one call',
    users: 600,
    url: service.url,
    ping: '/health/live',
    async register(users) {
      await service.call('irs/update', [{ ID, Users: users }]);
    },
  };
}
