import type { Queue } from '../queue/queue.ts';

const mailQueueName = 'mails';

/**
 * Enqueues the delivery of all due mails, unless it is queued or running. The message contains nothing: the rows of
 * `mails` say which user gets a mail, and the code is made when it is sent.
 */
export function enqueueMails(queue: Queue): Promise<void> {
  return queue.send(mailQueueName, [{ data: {}, singletonKey: 'due' }]);
}

/** Calls `run` for the message in the queue, on one node at a time. The queue needs no retries: due mails enqueue it again. */
export async function workOnMails(queue: Queue, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await queue.create(mailQueueName, {
    policy: 'exclusive',
    expireInSeconds: 3600,
    deleteAfterSeconds: 60,
    retryLimit: 0,
  });
  queue.workInPool(mailQueueName, 1, (_, signal) => run(signal));
}
