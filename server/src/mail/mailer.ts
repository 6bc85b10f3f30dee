import { createTransport, type NodemailerError } from 'nodemailer';
import type { Logo } from '../lib/brand.ts';
import { type Config, ConfigError } from '../settings/config.ts';

/** A mail with a plain and, unless a template has none, an HTML part. */
export interface Mail {
  /** The ID of the row in `mails`; the `Message-ID` is made of it, so it is the same at every attempt. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly logo: Logo | null;
}

/** The result of one attempt. `answer` is that of the mail server, for an administrator. */
export type MailResult =
  | { readonly state: 'sent' }
  /** A later attempt may succeed. */
  | { readonly state: 'delayed'; readonly answer: string }
  /** The mail server cannot be used at all: other mails would not be sent either. */
  | { readonly state: 'unavailable'; readonly answer: string }
  /** No later attempt will succeed, such as for an address that does not exist. */
  | { readonly state: 'refused'; readonly answer: string };

/** Sends mail. The service may send the same mail again if it stops before it has stored the result. */
export interface Mailer {
  send(mail: Mail): Promise<MailResult>;
  /** Connects and signs in. Returns why that failed, else null. */
  check(): Promise<string | null>;
  close(): void;
}

/** Mails that are sent at the same time, each over a connection of its own. */
export const connectionsAtOnce = 5;

/** Time limits in milliseconds. The last is for a whole mail: a server that answers byte by byte is never idle. */
const limits = { connection: 10_000, greeting: 15_000, idle: 30_000, mail: 90_000 };
/** The content ID of the logo. */
export const logoId = 'logo@anagrafe';
const maxAnswerLength = 500;
const codePattern = /(?:[0-9A-Z]{4}-){6}[0-9A-Z]{4}/gi;

/** Returns null if no mail server is configured. */
export function openMailer({ SMTP_URL, MAIL_FROM }: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): Mailer | null {
  if (SMTP_URL === null) return null;
  if (MAIL_FROM === null)
    throw new ConfigError('ANAGRAFE_SMTP_URL is set, but ANAGRAFE_MAIL_FROM is not', {
      code: 'setting_invalid',
      advice: 'set ANAGRAFE_MAIL_FROM to the sender of the mails.',
    });
  const transport = createTransport({ pool: true, ...serverOf(new URL(SMTP_URL)) });
  const domain = /@([^\s<>@]+)>?$/.exec(MAIL_FROM)?.[1] ?? 'localhost';
  return {
    async send({ id, to, subject, text, html, logo }) {
      try {
        await transport.sendMail({
          from: MAIL_FROM,
          // An object, so that no character of the address can add a recipient.
          to: { name: '', address: to },
          messageId: `<${id}@${domain}>`,
          // No out-of-office replies.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          subject,
          text,
          ...(html !== null && { html }),
          ...(logo !== null && html?.includes(`cid:${logoId}`) && { attachments: [attachmentOf(logo)] }),
          signal: AbortSignal.timeout(limits.mail),
        });
        return { state: 'sent' };
      } catch (error) {
        return failureOf(error as NodemailerError);
      }
    },
    check: () =>
      transport.verify().then(
        () => null,
        (error: Error) => shown(error.message),
      ),
    close: () => transport.close(),
  };
}

function serverOf(url: URL) {
  const secure = url.protocol === 'smtps:';
  const inClear = url.searchParams.get('starttls') === 'off';
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !inClear,
    ignoreTLS: inClear,
    ...(user !== '' && { auth: { user, pass } }),
    maxConnections: connectionsAtOnce,
    // The queue repeats a mail whose connection was closed, and counts the attempt.
    maxRequeues: 0,
    connectionTimeout: limits.connection,
    dnsTimeout: limits.connection,
    greetingTimeout: limits.greeting,
    socketTimeout: limits.idle,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as const;
}

function attachmentOf({ content, type }: Logo) {
  return { filename: `logo.${type.slice(6)}`, content, contentType: type, cid: logoId } as const;
}

/** Refusals of the recipient or the content concern one mail. Those of the sender or the credentials concern all. */
function failureOf(error: NodemailerError): MailResult {
  const { code, command, permanent } = error;
  const concernsMail = command === 'RCPT TO' || command === 'DATA';
  const answer = shown((concernsMail && error.response) || error.message);
  if (concernsMail && permanent !== undefined) return { state: permanent ? 'refused' : 'delayed', answer };
  // The address is one that nodemailer or the server cannot be sent.
  if (code === 'EENVELOPE' && command === 'API') return { state: 'refused', answer };
  if (concernsMail || error.name === 'AbortError' || error.name === 'TimeoutError')
    return { state: 'delayed', answer };
  return { state: 'unavailable', answer };
}

/** Servers may quote the content of a mail, with its code. */
function shown(answer: string): string {
  return answer
    .replace(codePattern, '…')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxAnswerLength);
}
