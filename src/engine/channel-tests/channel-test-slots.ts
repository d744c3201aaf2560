/** Limits how many tests of channels run at once: each waits for an upstream, and the owner of the key pays for it. */
export class ChannelTestSlots {
  private running = 0;
  private readonly byAccount = new Map<string, number>();

  constructor(private readonly most: { readonly all: number; readonly perAccount: number }) {}

  /**
   * Takes a slot and returns a function that releases it, or `null` if all are taken. Operators' tests of platform channels share one
   * account's limit.
   */
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
