import { Command } from 'commander';
import { operatorActor } from '../../audit/audit-log.ts';
import { defaultGraceHours, graceEnd } from '../../clients/clients.ts';
import { ApiError } from '../../lib/field-errors.ts';
import { commandLine } from '../../lib/operator-error.ts';
import { describeReason } from '../../lib/webhook-failures.ts';
import { ConfigError } from '../../settings/config.ts';
import { testWebhook } from '../../webhooks/attempt.ts';
import { secretEncryption } from '../../webhooks/secret-encryption.ts';
import { openSigning } from '../../webhooks/sender.ts';
import { newWebhookSecret } from '../../webhooks/webhook.ts';
import { openWebhookStore } from '../../webhooks/webhooks.store.ts';
import { withKeyRing } from '../database.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';
import { readHours } from './client.ts';

export function secretCommands(): Command[] {
  return [
    new Command('test')
      .argument('<id>', 'ID of the webhook')
      .description('send a test event to the endpoint; the exit code is 1 if it is not delivered')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', '\nExample:\n  anagrafe webhook test 3')
      .action(test),
    new Command('rotate')
      .argument('<id>', 'ID of the webhook')
      .description('create a new secret; messages are signed with the old one too during the grace period')
      .option(
        '--grace-hours <hours>',
        'grace period: hours until the old secret expires',
        readHours,
        defaultGraceHours,
      )
      .option('--json', 'print the result as JSON')
      .addHelpText('after', '\nExample:\n  anagrafe webhook rotate 3 --grace-hours 48')
      .action(rotate),
  ];
}

async function test(id: string, { json, ...settings }: SettingsOptions & { json?: boolean }): Promise<void> {
  const config = configFor(settings);
  return withKeyRing(config, async (keyRing, database) => {
    const signing = openSigning(keyRing, config.WEBHOOK_NETWORKS);
    const webhooks = openWebhookStore(database);
    const tested = await testWebhook(readId(id), { ...signing, store: webhooks }).catch((error) => {
      throw error instanceof ApiError && error.detail.code === 'WEBHOOK_NOT_FOUND' ? noWebhook(id) : error;
    });
    if (!tested.delivered) process.exitCode = 1;
    if (json) return print(JSON.stringify(tested));
    const { status, failure, answer, milliseconds } = tested;
    const reason = failure ? describeReason(failure, 'en') : '';
    const result = status === null ? reason : `the endpoint returned ${status}`;
    tell(`${tested.delivered ? 'Delivered' : 'Not delivered'}: ${result} (${milliseconds} ms)`);
    if (answer !== null) tell(answer);
  });
}

async function rotate(
  id: string,
  { graceHours, json, ...settings }: SettingsOptions & { graceHours: number; json?: boolean },
): Promise<void> {
  return withKeyRing(configFor(settings), async (keyRing, database) => {
    const webhookId = readId(id);
    const secret = newWebhookSecret();
    const oldEndsAt = graceEnd(graceHours);
    const encrypt = secretEncryption(secret, keyRing);
    if (!(await openWebhookStore(database).rotateSecret(webhookId, encrypt, oldEndsAt, operatorActor)))
      throw noWebhook(id);
    if (json) return print(JSON.stringify({ id: webhookId, secret, oldEndsAt }));
    print(`Secret: ${secret}`);
    tell(
      '',
      `Store the secret now: it is not shown again. Messages are signed with the old one too until ${oldEndsAt.toISOString()}.`,
    );
  });
}

export function noWebhook(id: string): ConfigError {
  return new ConfigError(
    `Webhook ${id} not found. To list the webhooks, run: ${commandLine('webhook list')}`,
  );
}

export function readId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw noWebhook(text);
  return Number(text);
}
