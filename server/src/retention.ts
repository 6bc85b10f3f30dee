import { throttleRetention } from './accounts/login-throttle.store.ts';
import { passwordRetention } from './accounts/password.store.ts';
import { sessionRetention } from './accounts/sessions.store.ts';
import { auditRetention } from './audit/retention.store.ts';
import { callRetention } from './calls/retention.store.ts';
import { consoleSessionRetention } from './clients/console-sessions.store.ts';
import { operatorSessionRetention } from './clients/operator-sessions.store.ts';
import { Retention } from './db/retention.ts';
import { mailRetention } from './mail/mail-delivery.store.ts';
import type { Config } from './settings/config.ts';
import { webhookRetention } from './webhooks/webhooks.store.ts';

/** The rules of all features, in the order in which they are applied. */
const rules = [
  ...callRetention,
  ...webhookRetention,
  sessionRetention,
  ...passwordRetention,
  ...mailRetention,
  consoleSessionRetention,
  operatorSessionRetention,
  ...throttleRetention,
  ...auditRetention,
];

export function openRetention(
  config: Pick<Config, 'JOB_DAYS' | 'DELIVERY_DAYS' | 'AUDIT_DAYS' | 'HISTORY_DAYS' | 'EVENT_DAYS'>,
): Retention {
  return new Retention(rules, {
    jobDays: config.JOB_DAYS,
    deliveryDays: config.DELIVERY_DAYS,
    auditDays: config.AUDIT_DAYS,
    historyDays: config.HISTORY_DAYS,
    eventDays: config.EVENT_DAYS,
  });
}
