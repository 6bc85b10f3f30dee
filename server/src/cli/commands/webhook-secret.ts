import { Command } from 'commander';
import { operatorActor } from '../../audit/audit-log.ts';
import { defaultGraceHours, graceEnd } from '../../clients/clients.ts';
import { ConfigError, readConfig } from '../../config.ts';
import { describeReason } from '../../i18n/translate.ts';
import { ApiError } from '../../lib/field-errors.ts';
import { testWebhook } from '../../webhooks/attempt.ts';
import { openSigning } from '../../webhooks/sender.ts';
import { newWebhookSecret, webhookName } from '../../webhooks/webhook.ts';
import { openWebhooks } from '../../webhooks/webhooks.store.ts';
import { withKeyRing } from '../database.ts';
import { print, tell } from '../output/output.ts';
import { readHours } from './client.ts';

export function secretCommands(): Command[] {
  return [
    new Command('test')
      .argument('<id>')
      .description('send a test message to a webhook; the exit code is 1 if it is not delivered')
      .option('--json', 'as JSON')
      .addHelpText('after', '\nExample:\n  anagrafe webhook test 3')
      .action(test),
    new Command('rotate')
      .argument('<id>')
      .description('create a new secret; messages are also signed with the old one for a while')
      .option('--grace-hours <hours>', 'hours until the old secret expires', readHours, defaultGraceHours)
      .option('--json', 'as JSON')
      .addHelpText('after', '\nExample:\n  anagrafe webhook rotate 3 --grace-hours 48')
      .action(rotate),
  ];
}

async function test(id: string, { json }: { json?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  return withKeyRing(config, async (keyRing, database) => {
    const signing = openSigning(keyRing, config.WEBHOOK_NETWORKS);
    const webhooks = openWebhooks(database);
    const tested = await testWebhook(readId(id), { ...signing, webhooks }).catch((error) => {
      throw error instanceof ApiError && error.detail.code === 'WEBHOOK_NOT_FOUND' ? noWebhook(id) : error;
    });
    if (!tested.delivered) process.exitCode = 1;
    if (json) return print(JSON.stringify(tested));
    const { status, failure, answer, milliseconds } = tested;
    const reason = failure ? describeReason(failure, 'en') : '';
    const result = status === null ? `There was no response: ${reason}` : `The receiver answered ${status}`;
    tell(`${result}, after ${milliseconds} ms.`);
    if (answer !== null) tell(answer);
  });
}

async function rotate(
  id: string,
  { graceHours, json }: { graceHours: number; json?: boolean },
): Promise<void> {
  return withKeyRing(readConfig(process.env), async (keyRing, database) => {
    const webhookId = readId(id);
    const secret = newWebhookSecret();
    const oldEndsAt = graceEnd(graceHours);
    const encrypted = keyRing.encryptSecret(secret, webhookName(webhookId));
    if (!(await openWebhooks(database).addSecret(webhookId, encrypted, oldEndsAt, operatorActor)))
      throw noWebhook(id);
    if (json) return print(JSON.stringify({ id: webhookId, secret, oldEndsAt }));
    print(`Secret: ${secret}`);
    tell(
      `\nThe secret is shown only now. Messages are signed with the old one too until ${oldEndsAt.toISOString()}.`,
    );
  });
}

export function noWebhook(id: string): ConfigError {
  return new ConfigError(`no webhook has the number ${id}; "anagrafe webhook list" shows them`);
}

export function readId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw noWebhook(text);
  return Number(text);
}
