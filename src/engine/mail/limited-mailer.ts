import { canonicalEmail } from '../../domain/access/email-address.ts';
import { hashSecret } from '../access/secrets.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type Mail,
  type Mailer,
  MailLimitError,
  type MailSender,
  type MailTransport,
  type ReservedMail,
} from '../ports/mailer.ts';
import type { PeopleStore } from '../ports/people-store.ts';
import type { MailLimits } from '../settings/mail-settings.ts';

const WINDOW_MS = 3_600_000;

/** What accounts and strangers may take of the hour's mails together, so that those of the operators still go out. */
const SHARE_OF_OTHERS = 0.8;

interface Window {
  readonly name: MailLimitError['limit'];
  readonly key: string;
  readonly most: number;
}

export interface LimitedMailerOptions {
  readonly transport: MailTransport;
  readonly people: Pick<PeopleStore, 'countAttempts' | 'forgiveAttempts'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly limits: MailLimits;
}

/** Under which key mails to an address are counted. */
export function recipientKey(to: string): string {
  return `mail to ${hashSecret(canonicalEmail(to))}`;
}

/**
 * The one way to the mail server. What is sent is counted in the database, beside the attempts to sign in, so the limits hold on all nodes
 * together and however many ask at once. An hour begins with the first mail after the one before has ended.
 */
export class LimitedMailer implements Mailer {
  constructor(private readonly options: LimitedMailerOptions) {}

  async reserve(to: string, sender: MailSender): Promise<ReservedMail> {
    const { transport, people } = this.options;
    const [recipient, ...shared] = this.windowsOf(to, sender);
    const taken: string[] = [];
    // One after the other: mails that the address may not get take nothing of what others may send.
    for (const window of [recipient, ...shared]) {
      const waitMs = await this.count(window);
      if (waitMs !== null) {
        await people.forgiveAttempts(taken);
        throw new MailLimitError(window.name, waitMs);
      }
      taken.push(window.key);
    }
    return {
      send: (mail: Omit<Mail, 'to'>) => transport.send({ ...mail, to }),
      cancel: () => people.forgiveAttempts(shared.map(({ key }) => key)),
    };
  }

  private windowsOf(to: string, sender: MailSender): readonly [Window, ...Window[]] {
    const { perHour, perRecipientPerHour, perAccountPerHour } = this.options.limits;
    const others = Math.max(1, Math.floor(perHour * SHARE_OF_OTHERS));
    return [
      { name: 'recipient', key: recipientKey(to), most: perRecipientPerHour },
      ...(typeof sender === 'string'
        ? []
        : [{ name: 'account', key: `mail of ${sender.accountId}`, most: perAccountPerHour } as const]),
      ...(sender === 'operators' ? [] : [{ name: 'gateway', key: 'mail of others', most: others } as const]),
      { name: 'gateway', key: 'mail', most: perHour },
    ];
  }

  /** Returns after how long there is room again; `null` where there is now. */
  private async count({ key, most }: Window): Promise<number | null> {
    const { people, clock } = this.options;
    const nowMs = clock.nowMs();
    const [counted] = await people.countAttempts([key], nowMs, WINDOW_MS);
    if (counted === undefined) throw new Error('The store has counted nothing.');
    return counted.count <= most ? null : Math.max(1_000, counted.windowEndsAtMs - nowMs);
  }
}
