import type { HeldCharge, HeldCharges, HeldState, KnownHeldCharge } from '../../engine/ports/held-charges.ts';

export class MemoryHeldCharges implements HeldCharges {
  readonly #charges = new Map<string, KnownHeldCharge>();

  async hold(charge: HeldCharge): Promise<void> {
    if (!this.#charges.has(charge.requestId)) this.#charges.set(charge.requestId, { ...charge, state: 'open' });
  }

  async list(
    { accountId, state }: { readonly accountId?: string; readonly state?: HeldState },
    limit: number,
  ): Promise<readonly KnownHeldCharge[]> {
    return [...this.#charges.values()]
      .filter((one) => accountId === undefined || one.accountId === accountId)
      .filter((one) => state === undefined || one.state === state)
      .sort((a, b) => b.atMs - a.atMs || (a.requestId < b.requestId ? -1 : 1))
      .slice(0, Math.max(0, limit));
  }

  async find(requestId: string): Promise<KnownHeldCharge | null> {
    return this.#charges.get(requestId) ?? null;
  }

  async decide(requestId: string, state: 'settled' | 'dismissed'): Promise<boolean> {
    const charge = this.#charges.get(requestId);
    if (charge?.state !== 'open') return false;
    this.#charges.set(requestId, { ...charge, state });
    return true;
  }
}
