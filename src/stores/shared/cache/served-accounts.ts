/** Each entry takes about 150 bytes. */
const MOST_SERVED = 50_000;

/** The accounts that were served shared entries of others. The oldest are evicted beyond `MOST_SERVED`. */
export class ServedAccounts {
  readonly #served = new Set<string>();

  /** Returns whether it was added, and not known already. */
  add(id: string, accountId: string): boolean {
    const served = `${id}\n${accountId}`;
    if (this.#served.has(served)) return false;
    this.#served.add(served);
    if (this.#served.size <= MOST_SERVED) return true;
    for (const oldest of this.#served) {
      this.#served.delete(oldest);
      break;
    }
    return true;
  }

  has(id: string, accountId: string): boolean {
    return this.#served.has(`${id}\n${accountId}`);
  }
}
