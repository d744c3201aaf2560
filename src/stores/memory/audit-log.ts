import type { AuditEntry, AuditLog, AuditQuery, NewAuditEntry } from '../../engine/ports/audit-log.ts';

export class MemoryAuditLog implements AuditLog {
  readonly #entries: AuditEntry[] = [];

  async append(entries: readonly NewAuditEntry[]): Promise<void> {
    for (const entry of entries) this.#entries.push({ ...structuredClone(entry), sequence: this.#entries.length + 1 });
  }

  async rewrite(entries: readonly AuditEntry[]): Promise<void> {
    for (const entry of entries) this.#entries[entry.sequence - 1] = structuredClone(entry);
  }

  async page(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const isNewest = query.order === 'newest';
    const { after } = query;
    const inOrder = isNewest ? this.#entries.toReversed() : this.#entries;
    const rest = inOrder.filter(({ sequence }) => after === null || (isNewest ? sequence < after : sequence > after));
    return rest.filter((entry) => matches(entry, query)).slice(0, query.limit);
  }
}

function matches(entry: AuditEntry, query: AuditQuery): boolean {
  const { accountId, actorKind, actorId, action, objectId, fromMs, toMs } = query;
  return (
    (accountId === undefined || entry.accountId === accountId) &&
    (actorKind === undefined || entry.actor.kind === actorKind) &&
    (actorId === undefined || entry.actor.id === actorId) &&
    (objectId === undefined || entry.objectId === objectId) &&
    (action === undefined || entry.action === action || entry.action.startsWith(`${action}.`)) &&
    (fromMs === undefined || entry.atMs >= fromMs) &&
    (toMs === undefined || entry.atMs < toMs)
  );
}
