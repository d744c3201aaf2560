import { createHmac, timingSafeEqual } from 'node:crypto';
import { subscriberOf } from '../domain/access/network-address.ts';
import { randomBase62 } from '../engine/access/secrets.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { PeopleStore } from '../engine/ports/people-store.ts';

const WINDOW_MS = 15 * 60_000;

/** How many that were wrong may come within a window. An office may share one address. */
const MOST = { address: 100, email: 10, device: 10, session: 10, link: 30 } as const;

export interface Attempt {
  readonly address: string | null;
  /** In lower case. */
  readonly email?: string;
  /** The cookie of a browser in which somebody has signed in before. */
  readonly device?: string | null;
  /** Of a session, or of a sign-in under way, whose second factor is asked for. */
  readonly session?: string;
  /** One that opens a one-time link. */
  readonly isLink?: boolean;
}

export interface TakenAttempt {
  /** Not to be tried before so many milliseconds have passed; `null` where it may be tried now. */
  readonly waitMs: number | null;
  /** It was right, and does not count. */
  forgive(): Promise<void>;
}

/**
 * Limits attempts to guess a password, a code or a link, by address and by the user that is meant; the counts are the database's, so
 * they hold on all nodes. Each attempt counts before it is tried, so that many at once do not slip through.
 *
 * Wrong passwords of a stranger count against the email; a browser in which the person has signed in before has a count of its own, so
 * the stranger cannot lock that person out, and for others a window of 15 minutes ends. An email that nobody has is counted all the same.
 */
export class SignInAttempts {
  constructor(
    private readonly people: Pick<PeopleStore, 'countAttempts' | 'forgiveAttempts'>,
    private readonly clock: Pick<Clock, 'nowMs'>,
    private readonly key: Uint8Array,
  ) {}

  async take({ address, email, device, session, isLink }: Attempt): Promise<TakenAttempt> {
    const place = `${isLink === true ? 'link' : 'address'}:${subscriberOf(address)}`;
    const taken = [place];
    const waitMs = await this.count([[place, isLink === true ? MOST.link : MOST.address]]);
    // Who is refused by address fills no table with addresses of mails.
    if (waitMs !== null) return { waitMs, forgive: async () => {} };
    const others: (readonly [string, number])[] = [];
    if (email !== undefined) {
      const known = device == null ? null : this.deviceOf(device, email);
      others.push(known === null ? [`email:${this.mac(email)}`, MOST.email] : [`device:${known}`, MOST.device]);
    }
    if (session !== undefined) others.push([`session:${this.mac(session)}`, MOST.session]);
    taken.push(...others.map(([key]) => key));
    return { waitMs: await this.count(others), forgive: () => this.people.forgiveAttempts(taken) };
  }

  /** What a browser keeps in which this person has signed in. */
  newDevice(email: string): string {
    const id = randomBase62(20);
    return `${id}.${this.mac(`device ${id} ${email}`)}`;
  }

  private deviceOf(device: string, email: string): string | null {
    const [id = '', mac = ''] = device.split('.');
    const [given, right] = [Buffer.from(mac), Buffer.from(this.mac(`device ${id} ${email}`))];
    return given.length === right.length && timingSafeEqual(given, right) ? id : null;
  }

  private async count(keys: readonly (readonly [string, number])[]): Promise<number | null> {
    if (keys.length === 0) return null;
    const nowMs = this.clock.nowMs();
    const counted = await this.people.countAttempts(
      keys.map(([key]) => key),
      nowMs,
      WINDOW_MS,
    );
    const waits = counted.flatMap(({ count, windowEndsAtMs }, at) =>
      count > (keys[at]?.[1] ?? 0) ? [Math.max(1_000, windowEndsAtMs - nowMs)] : [],
    );
    return waits.length === 0 ? null : Math.max(...waits);
  }

  /** The database learns neither emails nor sessions. */
  private mac(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('base64url').slice(0, 32);
  }
}
