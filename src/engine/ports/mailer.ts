export interface Mail {
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/** Hands a mail to the operator's mail server. Where none is configured there is no mailer. */
export interface Mailer {
  /** Resolves when the server has taken it. Rejects with a `MailError`. */
  send(mail: Mail): Promise<void>;
}

/** The mail server did not take a mail. The message has neither the server's password nor the mail's text. */
export class MailError extends Error {
  override readonly name = 'MailError';
}
