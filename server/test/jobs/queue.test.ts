import { randomUUID } from 'node:crypto';
import { startTestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';

/** Number of checks for dead nodes, one every 5 seconds, during which the queue must find a chunk that is due. */
const checksMax = 3;

it('the queue runs a chunk that becomes due without a notification, such as a retry, within three checks for dead nodes', async () => {
  const { database } = await startTestService();
  const [chunk] = await database.query<{ id: string }>(
    `insert into anagrafe_queue.job (name, data, policy, retry_limit)
     values ('chunks', $1, 'standard', 0) returning id`,
    [{ callId: randomUUID(), number: 0 }],
  );
  const checks = new Set<number>();
  await until(async () => {
    const [found] = await database.query<{ state: string; checkedAt: Date }>(
      `select job.state, queue.monitor_on as "checkedAt"
         from anagrafe_queue.job join anagrafe_queue.queue using (name) where job.id = $1`,
      [chunk?.id],
    );
    checks.add(Number(found?.checkedAt));
    return found?.state === 'completed' || checks.size > checksMax;
  });
  expect(checks.size).toBeLessThanOrEqual(checksMax);
});
