import { insertPrincipals, registrations } from './people.ts';
import { timed } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { startService } from './running/service.ts';

const goal = 20;
const users = 10_000;
const principals = 1000;
/** Registrations with passwords per principal; their rate does not depend on their number. */
const hashedEach = 2;

/** Measures a job that invites new users with codes, and the issue of the codes, beside a job that registers passwords. */
export async function invite(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const ids = await insertPrincipals(service, principals);
  const invited = ids.map((ID) => ({
    ID,
    Users: registrations(users / principals).map(({ Username }) => ({ Username, Invite: 'code' })),
  }));
  const start = Date.now();
  const job = await service.submit('irs/update', invited);
  const inviting = ((await service.end(job)) - start) / 1000;
  const issuing = await timed(async () => {
    const answer = await fetch(`${service.url}/api/sync/v1/jobs/${job.ID}/invitations`, { method: 'POST' });
    const codes = (await answer.text()).match(/"Code":"/g)?.length;
    if (codes !== users) throw new Error(`${codes} codes were issued instead of ${users}`);
  });
  const withPasswords = ids.map((ID) => ({ ID, Users: registrations(hashedEach) }));
  const hashing = await service.job('irs/update', withPasswords);
  const hashed = (principals * hashedEach) / hashing;
  const rate = (duration: number) => (users / duration).toFixed(0);
  return `invite  ${(users / (inviting + issuing) / hashed).toFixed(1)} times the users of a job with passwords (to reach: ${goal})  [users/s invited ${rate(inviting)}, codes issued ${rate(issuing)}, with passwords ${hashed.toFixed(0)}]`;
}
