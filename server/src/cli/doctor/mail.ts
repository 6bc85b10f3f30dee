import { type Mailer, openMailer } from '../../mail/mailer.ts';
import { type Config, ConfigError } from '../../settings/config.ts';
import { type Finding, finding, problemFinding } from './findings.ts';

/** Checks the mail server, if there is one. Sends no mail. */
export async function* examineMail(config: Config): AsyncGenerator<Finding> {
  let mailer: Mailer | null;
  try {
    mailer = openMailer(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return yield problemFinding('mail', error, '');
  }
  if (!mailer) return;
  const server = new URL(config.SMTP_URL ?? '').host;
  const answer = await mailer.check();
  mailer.close();
  yield answer === null ? finding('mail_ready', { server }) : finding('mail_unavailable', { server, answer });
  if (config.PUBLIC_URL === null) yield finding('mail_without_links');
}
