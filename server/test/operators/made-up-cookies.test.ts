import { stopClock } from '@anagrafe/testing/clock';
import { browserOf, ownPage } from '@anagrafe/testing/console';
import { rightPassword } from '@anagrafe/testing/login';
import { startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';

describe('made-up console cookies', () => {
  it.each(['GET /console/session', 'DELETE /console/session', 'POST /console/session/operator'])(
    'count as failed attempts at %s',
    async (call) => {
      stopClock();
      const own = await startTestService({ ANAGRAFE_REQUIRE_SECOND_FACTOR: 'false' });
      const send = browserOf(own);
      const body = call.startsWith('POST')
        ? { Email: 'nobody@example.com', Password: rightPassword }
        : undefined;
      const attempt = (n: number) =>
        send(call, { ...ownPage, cookie: `anagrafe_console=agc_madeup${n}` }, body);
      for (let n = 0; n < 600; n += 50)
        await Promise.all(Array.from({ length: 50 }, (_, index) => attempt(n + index)));
      const { status, body: refused } = await send('GET /admin/v1/clients', {
        ...ownPage,
        cookie: 'anagrafe_console=agc_madeup',
      });
      expect([status, refused.errorCode]).toEqual([429, 'RATE_LIMITED']);
      await own.stop();
    },
  );
});
