import type { SignInOptions } from './shape.ts';

/** How exactly the last activity is known. An open dashboard sends some 30 requests a minute. */
const EVERY_MS = 5 * 60_000;
/** The users that this process remembers. Beyond that it forgets all, and writes their next activity again. */
const MOST_USERS = 10_000;

/** Stores when people were last active, at most every few minutes for each, without delaying their requests. */
export class UserActivity {
  private readonly writtenAtMs = new Map<string, number>();

  constructor(private readonly options: Pick<SignInOptions, 'people' | 'clock' | 'logger'>) {}

  note(userId: string): void {
    const { people, clock, logger } = this.options;
    const nowMs = clock.nowMs();
    const writtenAtMs = this.writtenAtMs.get(userId);
    if (writtenAtMs !== undefined && nowMs - writtenAtMs < EVERY_MS) return;
    if (this.writtenAtMs.size >= MOST_USERS) this.writtenAtMs.clear();
    this.writtenAtMs.set(userId, nowMs);
    people.noteActivity(userId, nowMs).catch((error) => {
      this.writtenAtMs.delete(userId);
      logger.warn({ userId, error: String(error).slice(0, 300) }, 'the last activity of a user could not be stored');
    });
  }
}
