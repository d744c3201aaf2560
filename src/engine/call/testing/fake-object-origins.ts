import type { ObjectOrigin, ObjectOriginStore } from '../../ports/object-origins.ts';

/** Keeps the origins of objects in a map, without bounds. */
export class FakeObjectOrigins implements ObjectOriginStore {
  private readonly kept = new Map<string, ObjectOrigin>();

  async write(origins: readonly ObjectOrigin[]): Promise<void> {
    for (const origin of origins) this.kept.set(keyOf(origin.accountId, origin.objectId), origin);
  }

  async find(accountId: string, objectIds: readonly string[], nowMs: number): Promise<readonly ObjectOrigin[]> {
    const found = objectIds.flatMap((id) => this.kept.get(keyOf(accountId, id)) ?? []);
    return found.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  }

  async removeOld(): Promise<number> {
    return 0;
  }
}

function keyOf(accountId: string, objectId: string): string {
  return JSON.stringify([accountId, objectId]);
}
