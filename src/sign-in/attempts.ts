import { createHmac, timingSafeEqual } from 'node:crypto';
import { subscriberOf } from '../domain/access/network-address.ts';
import { randomBase62 } from '../engine/access/secrets.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { PeopleStore } from '../engine/ports/people-store.ts';

const WINDOW_MS = 15 * 60_000;

/** The allowed number of failed attempts per window. An office may share one address. */
const MOST = { address: 100, email: 10, device: 10, session: 10, link: 30 } as const;

export interface Attempt {
  readonly address: string | null;
  /** In lower case. */
  readonly email?: string;
  /** The cookie of a browser in which somebody has signed in before. */
  readonly device?: string | null;
  /** The session, or the sign-in in progress, whose second factor is requested. */
  readonly session?: string;
  /** Whether the attempt opens a one-time link. */
  readonly isLink?: boolean;
}

export interface TakenAttempt {
  /** Milliseconds to wait before the next attempt; `null` if it is allowed now. */
  readonly waitMs: number | null;
  /** Uncounts the attempt, because it was right. */
  forgive(): Promise<void>;
}

/**
 * Limits attempts to guess a password, a code or a link, by address and by user; the counts are in the database, so they hold on all nodes.
 * An attempt counts before it is checked, so that concurrent ones cannot slip through.
 *
 * A stranger's wrong passwords count against the email; a browser in which the person has signed in before has its own count, so the
 * stranger cannot lock that person out, and for other browsers the window ends after 15 minutes. Unknown emails are counted, too.
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
    // A client refused by its address cannot fill the table with emails.
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

  /** Returns the value of the cookie that marks a browser in which this person has signed in. */
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

  /** Hashes keys, so that the database contains neither emails nor sessions. */
  private mac(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('base64url').slice(0, 32);
  }
}
