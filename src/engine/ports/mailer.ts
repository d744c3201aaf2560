export interface Mail {
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/** Hands a mail to the operator's mail server. */
export interface MailTransport {
  /** Resolves when the server has taken it. Rejects with a `MailError`. */
  send(mail: Mail): Promise<void>;
}

/** In whose name a mail goes out: the operators', an account's, or that of somebody who has not signed in. */
export type MailSender = 'operators' | 'anyone' | { readonly accountId: string };

/** Sends mails within the limits of the gateway. Where no mail server is configured there is no mailer. */
export interface Mailer {
  /**
   * Takes room for one mail. Rejects with a `MailLimitError`, before anything is done, where there is none. It does not matter to it whether
   * the address is known here, so asking before a look-up tells nothing of that.
   */
  reserve(to: string, sender: MailSender): Promise<ReservedMail>;
}

export interface ReservedMail {
  /** Rejects with a `MailError`. The mail counts also then, since the server may have sent it. */
  send(mail: Omit<Mail, 'to'>): Promise<void>;
  /** Says that there is nothing to send. The address keeps the count, so that the next one who asks cannot tell. */
  cancel(): Promise<void>;
}

/** The mail server did not take a mail. The message has neither the server's password nor the mail's text. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** The mails of this hour are used up, those to the address or those of the gateway. */
export class MailLimitError extends Error {
  override readonly name = 'MailLimitError';

  constructor(
    readonly limit: 'recipient' | 'account' | 'gateway',
    readonly retryAfterMs: number,
  ) {
    const of = { recipient: 'to this address', account: 'of this account', gateway: 'of this gateway' }[limit];
    super(`The mails ${of} are used up for this hour.`);
  }
}
