const WINDOW_MS = 1_000;
/** Of all processes' questions; one account has half of them where there are others. */
const ACCOUNT_SHARE = 0.5;
const MOST_AT_ONCE = 64;
/** A channel that does not answer keeps no more than this from the others. */
const MOST_AT_A_CHANNEL = 8;
const BUSY_CHANNEL_MS = 500;

/** How many questions may be sent: in a second, for one account, and at a time. */
export class PollQuota {
  private allowance = 0;
  private refilledMs: number;
  private windowMs: number;
  private spentBy = new Map<string, number>();
  private asking = 0;
  private readonly askingAt = new Map<string, number>();

  constructor(
    private readonly perSecond: number,
    nowMs: number,
  ) {
    this.refilledMs = nowMs;
    this.windowMs = nowMs;
  }

  /** Whether any question may be sent now, by the monotonic clock. */
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

  /** How long to wait before a question of the account may go to the channel; 0 if it may go now. */
  waitMs(accountId: string, channelId: string, { hasOthers }: { readonly hasOthers: boolean }): number {
    if ((this.askingAt.get(channelId) ?? 0) >= MOST_AT_A_CHANNEL) return BUSY_CHANNEL_MS;
    const share = Math.max(1, this.perSecond * ACCOUNT_SHARE);
    const isOver = hasOthers && (this.spentBy.get(accountId) ?? 0) >= share;
    return isOver ? WINDOW_MS - (this.refilledMs - this.windowMs) : 0;
  }

  begin(accountId: string, channelId: string): void {
    this.allowance--;
    this.asking++;
    this.spentBy.set(accountId, (this.spentBy.get(accountId) ?? 0) + 1);
    this.askingAt.set(channelId, (this.askingAt.get(channelId) ?? 0) + 1);
  }

  end(channelId: string): void {
    this.asking--;
    const left = (this.askingAt.get(channelId) ?? 1) - 1;
    if (left > 0) this.askingAt.set(channelId, left);
    else this.askingAt.delete(channelId);
  }
}
