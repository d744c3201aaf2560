export interface MailLimits {
  readonly perHour: number;
  readonly perRecipientPerHour: number;
  readonly perAccountPerHour: number;
}

export interface MailSettings {
  /** The URL of the server, such as `smtps://user:password@mail.example.com:465`. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly limits: MailLimits;
}

export const DEFAULT_MAIL_LIMITS: MailLimits = { perHour: 1_000, perRecipientPerHour: 10, perAccountPerHour: 100 };
