import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterUse } from './endings.ts';

export interface ReceivedMail extends Email {
  readonly to: NonNullable<Email['to']>;
}

export interface MailServer {
  /** For ANAGRAFE_SMTP_URL. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** The recipients in the order in which they were sent, also of mails that were refused. */
  readonly recipients: readonly string[];
  /** The mails that an address received. */
  to(address: string): readonly ReceivedMail[];
  stop(): Promise<void>;
}

/** The answer to a recipient or a whole mail: null accepts it, an error such as `answered(550, '...')` refuses it. */
type Answer = Error | null | Promise<Error | null>;

interface MailServerBehaviour {
  readonly options?: SMTPServerOptions;
  readonly port?: number;
  onRecipient?(address: string): Answer;
  onMail?(mail: ReceivedMail): Answer;
}

export function answered(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Starts a real SMTP server on a free port, without TLS unless the options have a certificate. */
export async function startMailServer({
  options = {},
  port = 0,
  onRecipient = () => null,
  onMail = () => null,
}: MailServerBehaviour = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const recipients: string[] = [];
  const tls = options.key === undefined ? { disabledCommands: ['STARTTLS', 'AUTH'] } : {};
  const server = new SMTPServer({
    authOptional: true,
    // The service keeps idle connections open.
    closeTimeout: 100,
    ...tls,
    onRcptTo({ address }, _session, callback) {
      recipients.push(address);
      Promise.resolve(onRecipient(address)).then((error) => callback(error), callback);
    },
    onData(stream, _session, callback) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', async () => {
        const mail = (await PostalMime.parse(Buffer.concat(pieces))) as ReceivedMail;
        const error = await onMail(mail);
        if (!error) received.push(mail);
        callback(error);
      });
    },
    ...options,
  });
  // Connections that the service closes.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve());
  });
  const address = server.server.address();
  const used = typeof address === 'object' ? address?.port : 0;
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= new Promise<void>((resolve) => void server.close(() => resolve())));
  afterUse(stop);
  return {
    url: `smtp://127.0.0.1:${used}${options.key === undefined ? '?starttls=off' : ''}`,
    received,
    recipients,
    to: (wanted) => received.filter((mail) => mail.to.some(({ address: to }) => to === wanted)),
    stop,
  };
}

/** The settings of a service that sends its mail to the server, and retries at once. */
export function mailSettingsOf({ url }: MailServer): Record<string, string> {
  return {
    ANAGRAFE_SMTP_URL: url,
    ANAGRAFE_MAIL_FROM: 'Anagrafe <no-reply@example.com>',
    ANAGRAFE_PUBLIC_URL: 'https://anagrafe.example.com',
    ANAGRAFE_MAIL_WAITS: '0,0,0',
  };
}

/** Returns the codes in the text of a mail. */
export function codesIn({ text = '' }: Pick<Email, 'text'>): string[] {
  return [...text.matchAll(/^(?:Code|Codice): ([0-9A-Z-]{34})$/gm)].map(([, code = '']) => code);
}
