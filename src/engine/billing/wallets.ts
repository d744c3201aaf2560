import type { Credential } from '../../domain/access/api-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Logger } from '../ports/logger.ts';
import { Wallet } from './wallet.ts';

/** A wallet that was not used for this time gives its leases back. */
const IDLE_MS = 2_000;

/** The wallets of this process: one per account, and one per key with a limit. */
export class Wallets {
  private readonly accounts = new Map<string, Wallet>();
  private readonly keys = new Map<string, { readonly wallet: Wallet; readonly limitNanoUsd: bigint }>();

  constructor(private readonly ports: { readonly ledger: Ledger; readonly clock: Clock; readonly logger: Logger }) {
    ports.ledger.onLeasesLost(() => {
      ports.logger.warn({}, 'the leases of balances were lost: they are asked for anew');
      for (const wallet of this.all()) wallet.lose();
    });
  }

  account(accountId: string): Wallet {
    let wallet = this.accounts.get(accountId);
    if (!wallet) {
      wallet = new Wallet(this.ports.ledger, { accountId, keyId: null }, undefined);
      this.accounts.set(accountId, wallet);
    }
    return wallet;
  }

  /** The wallet of a key; `null` for a key without a limit. */
  key({ accountId, id, limitNanoUsd }: Credential): Wallet | null {
    if (limitNanoUsd === null) return null;
    const name = JSON.stringify([accountId, id]);
    const known = this.keys.get(name);
    if (known?.limitNanoUsd === limitNanoUsd) return known.wallet;
    // A changed limit makes another wallet; the former one gives back its leases when it is idle.
    if (known) this.retired.add(known.wallet);
    const wallet = new Wallet(this.ports.ledger, { accountId, keyId: id }, limitNanoUsd);
    this.keys.set(name, { wallet, limitNanoUsd });
    return wallet;
  }

  /** Gives back the leases of a key's purses that no request has reserved: other nodes may need them. */
  async giveBackFree({ accountId, id }: Credential): Promise<void> {
    await this.accounts.get(accountId)?.giveBackIdle(Number.POSITIVE_INFINITY);
    await this.keys.get(JSON.stringify([accountId, id]))?.wallet.giveBackIdle(Number.POSITIVE_INFINITY);
  }

  private readonly retired = new Set<Wallet>();

  private *all(): Iterable<Wallet> {
    yield* this.accounts.values();
    for (const { wallet } of this.keys.values()) yield wallet;
    yield* this.retired;
  }

  /**
   * Gives back the leases of idle wallets. Call it from time to time, and with `all` before the ledger is closed. Never
   * rejects.
   */
  async giveBackIdle(all = false): Promise<void> {
    const beforeMs = all ? Number.POSITIVE_INFINITY : this.ports.clock.monotonicMs() - IDLE_MS;
    for (const wallet of [...this.all()]) {
      try {
        await wallet.giveBackIdle(beforeMs);
      } catch (error) {
        this.ports.logger.warn({ error: String(error) }, 'what was leased of a balance could not be given back');
        return;
      }
    }
    this.forgetIdle();
  }

  private forgetIdle(): void {
    for (const [id, wallet] of this.accounts) if (wallet.isIdle) this.accounts.delete(id);
    for (const [name, { wallet }] of this.keys) if (wallet.isIdle) this.keys.delete(name);
    for (const wallet of this.retired) if (wallet.isIdle) this.retired.delete(wallet);
  }
}
