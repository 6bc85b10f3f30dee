import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { openBrand } from '../../lib/brand.ts';
import { OperatorError } from '../../lib/operator-error.ts';
import type { Language } from '../../lib/translate.ts';
import { composeMail } from '../../mail/compose.ts';
import { mailLanguages, openMailTemplates } from '../../mail/mail-templates.ts';
import { openMailer } from '../../mail/mailer.ts';
import { codeIssuer } from '../../passwords/password-code.ts';
import { exitCodes, print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

interface MailTestOptions extends SettingsOptions {
  readonly language?: Language;
  readonly json?: boolean;
}

export function mailCommand(): Command {
  const command = new Command('mail').description('check the mail server and the texts of the mails');
  command
    .command('test')
    .argument('<address>', 'address that gets the mail')
    .description('send an invitation with a code that does not work, and show the answer of the mail server')
    .addOption(
      new Option('--language <language>', 'language of the mail; default: ANAGRAFE_MAIL_LANGUAGE').choices(
        mailLanguages,
      ),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Uses the settings of this machine, not a running service, and does not retry. The exit code is 0 if the mail server has
accepted the mail, else 1.

Example:
  anagrafe mail test mario.rossi@example.com --language it`,
    )
    .action(sendTest);
  return command;
}

async function sendTest(address: string, options: MailTestOptions): Promise<void> {
  const config = configFor(options);
  const mailer = openMailer(config);
  if (!mailer)
    throw new OperatorError('this service does not send mail', {
      code: 'mail_server_missing',
      advice: 'set ANAGRAFE_SMTP_URL and ANAGRAFE_MAIL_FROM.',
    });
  const language = options.language ?? config.MAIL_LANGUAGE;
  const user = {
    userId: 0,
    username: 'mario.rossi',
    email: address,
    firstName: 'Mario',
    lastName: 'Rossi',
    language,
    principalName: 'Rossi Srl',
    // It is not stored, so it opens no account.
    code: codeIssuer({ days: config.INVITATION_DAYS, publicUrl: config.PUBLIC_URL })(),
  };
  try {
    const composing = {
      templates: await openMailTemplates(config.MAIL_TEMPLATES),
      brand: await openBrand(config),
      defaultLanguage: language,
    };
    const result = await mailer.send(
      composeMail({ id: randomUUID(), kind: 'invitation', users: [user] }, composing),
    );
    const answer = 'answer' in result ? result.answer : null;
    if (result.state !== 'sent') process.exitCode = exitCodes.trouble;
    if (options.json) print(JSON.stringify({ sent: result.state === 'sent', state: result.state, answer }));
    else if (answer === null) tell(`The mail server has accepted the mail to ${address}.`);
    else tell(`The mail was not sent (${result.state}). Answer of the mail server: ${answer}`);
  } finally {
    mailer.close();
  }
}
