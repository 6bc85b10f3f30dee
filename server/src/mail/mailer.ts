/** A mail with a plain and an HTML part. */
export interface Mail {
  /** The ID of the row in `mails`; the `Message-ID` is made of it, so it is the same at every attempt. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The result of one attempt. `answer` is that of the mail server, for an administrator. */
export type MailResult =
  | { readonly state: 'sent' }
  /** A later attempt may succeed. */
  | { readonly state: 'delayed'; readonly answer: string }
  /** No later attempt will succeed, such as for an address that does not exist. */
  | { readonly state: 'refused'; readonly answer: string };

/** Sends mail. The service may send the same mail again if it stops before it has stored the result. */
export interface Mailer {
  send(mail: Mail, signal: AbortSignal): Promise<MailResult>;
}
