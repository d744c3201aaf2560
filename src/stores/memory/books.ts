import type {
  AccountBooks,
  AccountsQuery,
  Books,
  BooksPicture,
  BooksQuery,
  EntrySum,
} from '../../engine/ports/books.ts';
import type { Ledger } from '../../engine/ports/ledger.ts';
import type { UsageStore } from '../../engine/ports/usage-store.ts';

export class MemoryBooks implements Books {
  constructor(
    private readonly ledger: Pick<Ledger, 'entries' | 'balance'>,
    private readonly usage: Pick<UsageStore, 'sums'>,
  ) {}

  async picture({ accountId, spans, usage }: BooksQuery): Promise<BooksPicture> {
    // All calls start before any is awaited, so their results are from one moment.
    const asked = [this.ledger.balance(accountId), this.ledger.entries(accountId, Number.MAX_SAFE_INTEGER)] as const;
    const summed = this.usage.sums(usage);
    const [{ balanceNanoUsd }, entries] = await Promise.all(asked);
    const sums = new Map<string, EntrySum>();
    for (const { kind, amountNanoUsd, atMs } of entries) {
      const span = spans.findIndex(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
      if (kind === 'charge' || span === -1) continue;
      const before = sums.get(`${span} ${kind}`)?.amountNanoUsd ?? 0n;
      sums.set(`${span} ${kind}`, { span, kind, amountNanoUsd: before + amountNanoUsd });
    }
    const firstEntryAtMs = entries.at(-1)?.atMs ?? null;
    return { balanceNanoUsd, firstEntryAtMs, entries: [...sums.values()], usage: await summed };
  }

  async pictures({ accountIds, spans }: AccountsQuery): Promise<ReadonlyMap<string, AccountBooks>> {
    const pictures = accountIds.map(async (accountId): Promise<[string, AccountBooks]> => {
      const charges = {
        accountIds: [accountId],
        spans,
        groupBy: ['accountId' as const],
        tags: null,
        limit: spans.length,
      };
      const { balanceNanoUsd, entries, usage } = await this.picture({ accountId, spans, usage: [charges] });
      return [accountId, { balanceNanoUsd, entries, charges: usage[0] ?? [] }];
    });
    return new Map(await Promise.all(pictures));
  }
}
