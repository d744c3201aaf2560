/** How many tests of channels may run at once: each waits for an upstream, and is paid for by whoever owns the key. */
export class ChannelTestSlots {
  private running = 0;
  private readonly byAccount = new Map<string, number>();

  constructor(private readonly most: { readonly all: number; readonly perAccount: number }) {}

  /** Gives the slot back when it is called; `null` where all are taken. Operators' tests of PLATFORM channels count together. */
  take(accountId: string | null): (() => void) | null {
    const key = accountId ?? '';
    const own = this.byAccount.get(key) ?? 0;
    if (this.running >= this.most.all || own >= this.most.perAccount) return null;
    this.running += 1;
    this.byAccount.set(key, own + 1);
    return () => {
      this.running -= 1;
      const left = (this.byAccount.get(key) ?? 1) - 1;
      if (left > 0) this.byAccount.set(key, left);
      else this.byAccount.delete(key);
    };
  }
}
