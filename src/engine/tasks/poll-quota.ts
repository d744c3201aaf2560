const WINDOW_MS = 1_000;
/** One account's share of this process's polls while other accounts have tasks. */
const ACCOUNT_SHARE = 0.5;
const MOST_AT_ONCE = 64;
/** All channels of one account may hang, however many it has, so there is always room for others: half of it if there are any. */
const MOST_OF_ONE_ACCOUNT = 56;
const MOST_BESIDE_OTHERS = 32;
/** A channel that does not answer cannot occupy more than this. */
const MOST_AT_A_CHANNEL = 8;
/** However many jobs one account has at a shared channel, others can still be polled there. */
const MOST_OF_ACCOUNT_AT_A_CHANNEL = 6;
const BUSY_CHANNEL_MS = 500;

/** Limits polls per second, per account and in flight. */
export class PollQuota {
  private allowance = 0;
  private refilledMs: number;
  private windowMs: number;
  private spentBy = new Map<string, number>();
  private asking = 0;
  private readonly askingAt = new Map<string, number>();
  private readonly askingFor = new Map<string, number>();

  constructor(
    private readonly perSecond: number,
    nowMs: number,
  ) {
    this.refilledMs = nowMs;
    this.windowMs = nowMs;
  }

  /** Returns whether any poll may be sent now, by the monotonic clock. */
  isOpen(nowMs: number): boolean {
    const { perSecond } = this;
    const since = ((nowMs - this.refilledMs) * perSecond) / 1_000;
    this.allowance = Math.min(Math.max(1, perSecond), this.allowance + since);
    this.refilledMs = nowMs;
    if (nowMs - this.windowMs >= WINDOW_MS) {
      this.windowMs = nowMs;
      this.spentBy = new Map();
    }
    return this.allowance >= 1 && this.asking < MOST_AT_ONCE;
  }

  /** Returns the milliseconds until a poll of the account may go to the channel; 0 if it may go now. */
  waitMs(accountId: string, channelId: string, { hasOthers }: { readonly hasOthers: boolean }): number {
    if ((this.askingAt.get(channelId) ?? 0) >= MOST_AT_A_CHANNEL) return BUSY_CHANNEL_MS;
    if ((this.askingFor.get(accountId) ?? 0) >= (hasOthers ? MOST_BESIDE_OTHERS : MOST_OF_ONE_ACCOUNT)) {
      return BUSY_CHANNEL_MS;
    }
    const own = this.askingFor.get(together(accountId, channelId)) ?? 0;
    if (hasOthers && own >= MOST_OF_ACCOUNT_AT_A_CHANNEL) return BUSY_CHANNEL_MS;
    const share = Math.max(1, this.perSecond * ACCOUNT_SHARE);
    const isOver = hasOthers && (this.spentBy.get(accountId) ?? 0) >= share;
    return isOver ? WINDOW_MS - (this.refilledMs - this.windowMs) : 0;
  }

  begin(accountId: string, channelId: string): void {
    this.allowance--;
    this.asking++;
    this.spentBy.set(accountId, (this.spentBy.get(accountId) ?? 0) + 1);
    count(this.askingAt, channelId, 1);
    count(this.askingFor, accountId, 1);
    count(this.askingFor, together(accountId, channelId), 1);
  }

  /** Ends the poll of `begin`, answered or not. */
  end(accountId: string, channelId: string): void {
    this.asking--;
    count(this.askingAt, channelId, -1);
    count(this.askingFor, accountId, -1);
    count(this.askingFor, together(accountId, channelId), -1);
  }
}

/** Joins the ids, which never contain a space. */
function together(accountId: string, channelId: string): string {
  return `${accountId} ${channelId}`;
}

function count(counts: Map<string, number>, name: string, by: number): void {
  const left = (counts.get(name) ?? 0) + by;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
