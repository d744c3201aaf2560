import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import { LimitedMailer, type LimitedMailerOptions, type MailCounts } from '../engine/mail/limited-mailer.ts';
import type { Mailer } from '../engine/ports/mailer.ts';
import type { MailSettings } from '../engine/settings/settings.ts';
import { createSmtpMailer } from '../upstream/smtp-mailer.ts';

export interface Mailers {
  /** `null` if no mail server is configured. */
  readonly mailer: Mailer | null;
  /**
   * The mailer for links; `null` unless the gateway's own address is configured: an address from a stranger's request must not get into a
   * mail.
   */
  readonly linkMailer: Mailer | null;
  readonly counts: MailCounts | null;
}

/** Returns a mailer for a mail server; all of them share the limits of emails. */
export function createMailer(
  { limits, ...server }: MailSettings,
  { people, clock }: Pick<LimitedMailerOptions, 'people' | 'clock'>,
): LimitedMailer {
  return new LimitedMailer({ transport: createSmtpMailer(server), people, clock, limits });
}

export function createMailers(
  configuration: Pick<Configuration, 'mail' | 'server'> | null,
  { people, clock }: Pick<LimitedMailerOptions, 'people' | 'clock'>,
): Mailers {
  if (!configuration?.mail) return { mailer: null, linkMailer: null, counts: null };
  const mailer = createMailer(configuration.mail, { people, clock });
  const linkMailer = configuration.server.publicUrl === null ? null : mailer;
  return { mailer, linkMailer, counts: mailer.counts };
}
