import { type Mailer, MailLimitError, type MailSender, type ReservedMail } from '../../ports/mailer.ts';
import { TooManyError } from '../admin-error.ts';

const REMEDIES = {
  recipient: 'has received as many emails as allowed within an hour',
  account: 'cannot be emailed: the account has sent as many emails as allowed within an hour',
  gateway: 'cannot be emailed: the gateway has sent as many emails as allowed within an hour',
} as const;

/**
 * Reserves one mail of the sending limits before anything else is done; resolves to `null` without a mail server. Throws `AdminError` if a
 * limit is reached.
 */
export async function reserve(mailer: Mailer | null, to: string, sender: MailSender): Promise<ReservedMail | null> {
  if (mailer === null) return null;
  try {
    return await mailer.reserve(to, sender);
  } catch (error) {
    if (!(error instanceof MailLimitError)) throw error;
    const minutes = Math.ceil(error.retryAfterMs / 60_000);
    const problem = `${REMEDIES[error.limit]}: try again in ${minutes} min`;
    throw new TooManyError('email', problem, error.retryAfterMs);
  }
}
