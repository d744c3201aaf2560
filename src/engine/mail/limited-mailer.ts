import { canonicalEmail } from '../../domain/access/user.ts';
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
import type { MailLimits } from '../settings/settings.ts';

const WINDOW_MS = 3_600_000;

/** The share of the hour's mails that accounts and strangers may use together, so that operators can still send. */
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

/** Returns the key under which mails to an address are counted. */
export function recipientKey(to: string): string {
  return `mail to ${hashSecret(canonicalEmail(to))}`;
}

/** The outcomes of emails since the start. */
export interface MailCounts {
  sent: number;
  failed: number;
  /** Refused by a limit. */
  refused: number;
}

/**
 * The only way to the mail server. Mails are counted in the database, like attempts to sign in, so that the limits apply to all nodes
 * together, also for concurrent requests. An hour starts with the first mail after the previous hour has ended.
 */
export class LimitedMailer implements Mailer {
  readonly counts: MailCounts = { sent: 0, failed: 0, refused: 0 };

  constructor(private readonly options: LimitedMailerOptions) {}

  async reserve(to: string, sender: MailSender): Promise<ReservedMail> {
    const { transport, people } = this.options;
    const [recipient, ...shared] = this.windowsOf(to, sender);
    const taken: string[] = [];
    // The windows are counted one after the other, so that mails refused for their address do not count for other senders.
    for (const window of [recipient, ...shared]) {
      const waitMs = await this.count(window);
      if (waitMs !== null) {
        await people.forgiveAttempts(taken);
        this.counts.refused++;
        throw new MailLimitError(window.name, waitMs);
      }
      taken.push(window.key);
    }
    return {
      send: async (mail: Omit<Mail, 'to'>) => {
        try {
          const sent = await transport.send({ ...mail, to });
          this.counts.sent++;
          return sent;
        } catch (error) {
          this.counts.failed++;
          throw error;
        }
      },
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

  /** Resolves to the time until another mail may be sent, or `null` if one may be sent now. */
  private async count({ key, most }: Window): Promise<number | null> {
    const { people, clock } = this.options;
    const nowMs = clock.nowMs();
    const [counted] = await people.countAttempts([key], nowMs, WINDOW_MS);
    if (counted === undefined) throw new Error('The store returned no count.');
    return counted.count <= most ? null : Math.max(1_000, counted.windowEndsAtMs - nowMs);
  }
}
