export interface Mail {
  readonly to: string;
  /** A single line. */
  readonly subject: string;
  readonly text: string;
}

/** Hands an email to the operator's mail server. */
export interface MailTransport {
  /** Resolves when the server has accepted it. Rejects with a `MailError`. */
  send(mail: Mail): Promise<void>;
}

/** The sender that an email counts against: the operators, an account, or anyone who has not signed in. */
export type MailSender = 'operators' | 'anyone' | { readonly accountId: string };

/** Sends email within the gateway's limits. Without a configured mail server there is no mailer. */
export interface Mailer {
  /**
   * Reserves one email within the limits, or rejects with a `MailLimitError`. Call it before looking the address up: the result does not
   * depend on whether the address is known, so it reveals nothing.
   */
  reserve(to: string, sender: MailSender): Promise<ReservedMail>;
}

export interface ReservedMail {
  /** Sends the email. Rejects with a `MailError`; the email still counts, since the server may have sent it. */
  send(mail: Omit<Mail, 'to'>): Promise<void>;
  /** Ends the reservation without sending. It still counts for the address, so that the next caller cannot tell the difference. */
  cancel(): Promise<void>;
}

export const MAIL_PROBLEMS = [
  'host_not_found',
  'unreachable',
  'tls',
  'timeout',
  'credentials_refused',
  'address_refused',
  'message_refused',
  'failed',
] as const;
export type MailProblem = (typeof MAIL_PROBLEMS)[number];

/** The facts about a refused email. */
export interface MailRefusal {
  readonly kind: MailProblem;
  /** The server's reply code, such as 535; `null` if it gave none. */
  readonly status: number | null;
  /** The words of the server or of the connection: one line of limited length, without secrets; only for operators. */
  readonly said: string | null;
}

/** The mail server did not accept an email. The message contains neither the server's password nor the email's text. */
export class MailError extends Error {
  override readonly name = 'MailError';

  constructor(
    message: string,
    readonly refusal: MailRefusal = { kind: 'failed', status: null, said: null },
  ) {
    super(message);
  }
}

/** The hourly limit of the recipient, the account or the gateway is reached. */
export class MailLimitError extends Error {
  override readonly name = 'MailLimitError';

  constructor(
    readonly limit: 'recipient' | 'account' | 'gateway',
    readonly retryAfterMs: number,
  ) {
    const of = { recipient: 'to this address', account: 'of this account', gateway: 'of this gateway' }[limit];
    super(`The hourly limit of emails ${of} is used up.`);
  }
}
