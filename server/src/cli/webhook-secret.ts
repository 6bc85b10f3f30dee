import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { graceEnd, usualGraceHours } from '../core/access/clients.ts';
import { Refusal } from '../core/faults.ts';
import { theOperator } from '../core/journal/journal.ts';
import { testWebhook } from '../core/webhooks/test.ts';
import { newWebhookSecret, webhookName } from '../core/webhooks/webhook.ts';
import { findMasterKey } from '../master-key.ts';
import { openSigning } from '../signing.ts';
import { readHours } from './client-options.ts';
import { print, tell } from './output.ts';
import { openKnownVault } from './vault.ts';
import { noWebhook, readId, withWebhooks } from './webhook-store.ts';

/** What is done with the secret of an endpoint. */
export function secretCommands(): Command[] {
  return [
    new Command('test')
      .argument('<id>')
      .description('send an endpoint one message to try it; the exit code is 1 where it is not taken')
      .option('--json', 'as JSON')
      .addHelpText('after', '\nExample:\n  anagrafe webhook test 3')
      .action(test),
    new Command('rotate')
      .argument('<id>')
      .description('give an endpoint a new secret; messages are signed with the old one too for a while')
      .option('--grace-hours <hours>', 'how long the old secret goes on', readHours, usualGraceHours)
      .option('--json', 'as JSON')
      .addHelpText('after', '\nExample:\n  anagrafe webhook rotate 3 --grace-hours 48')
      .action(rotate),
  ];
}

async function test(id: string, { json }: { json?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const key = await findMasterKey(config);
  return withWebhooks(async (webhooks, database) => {
    const signing = openSigning(await openKnownVault(key, config, database), config);
    const tested = await testWebhook(readId(id), { ...signing, webhooks }).catch((error) => {
      throw error instanceof Refusal && error.fault.code === 'WEBHOOK_NOT_FOUND' ? noWebhook(id) : error;
    });
    if (!tested.delivered) process.exitCode = 1;
    if (json) return print(JSON.stringify(tested));
    const { status, failure, answer, milliseconds } = tested;
    const came = status === null ? `There was no answer: ${failure}` : `The receiver answered ${status}`;
    tell(`${came}, after ${milliseconds} ms.`);
    if (answer !== null) tell(answer);
  });
}

async function rotate(
  id: string,
  { graceHours, json }: { graceHours: number; json?: boolean },
): Promise<void> {
  const config = readConfig(process.env);
  const key = await findMasterKey(config);
  return withWebhooks(async (webhooks, database) => {
    const vault = await openKnownVault(key, config, database);
    const webhookId = readId(id);
    const secret = newWebhookSecret();
    const oldEndsAt = graceEnd(graceHours);
    const sealed = vault.sealSecret(secret, webhookName(webhookId));
    if (!(await webhooks.addSecret(webhookId, sealed, oldEndsAt, theOperator))) throw noWebhook(id);
    if (json) return print(JSON.stringify({ id: webhookId, secret, oldEndsAt }));
    print(`Secret: ${secret}`);
    tell(
      `\nThe secret is shown only now. Messages are signed with the old one too until ${oldEndsAt.toISOString()}.`,
    );
  });
}
