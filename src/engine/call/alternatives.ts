import type { Principal } from '../../domain/access/principal.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import type { Alternative } from '../../domain/failure/failure.ts';
import type { Directory } from '../directory/directory.ts';
import { usableModels } from '../directory/find-model.ts';
import { SharedMemory } from './shared-memory.ts';

const MOST = 5;
/** How long a result is reused, so that an outage does not cause a search per failed request. */
const FRESH_MS = 500;
const MOST_REMEMBERED = 1_000;

interface Found {
  readonly atMs: number;
  readonly alternatives: readonly Alternative[];
}

/** Suggests models in place of one that no channel can serve now (contract, Errors, rule 3). */
export class Alternatives {
  private readonly found = new WeakMap<Directory, SharedMemory<Found>>();

  /** Returns models of the same category that are healthy now and that the key may use, most similar first. At most 5. */
  to(modelId: string, directory: Directory, principal: Principal, nowMs: number): readonly Alternative[] {
    const remembered = this.rememberedOf(directory);
    const key = JSON.stringify([principal.credential.secretHash, modelId]);
    const accountId = principal.account.id;
    const known = remembered.get(accountId, key);
    if (known && nowMs - known.atMs < FRESH_MS) return known.alternatives;
    const alternatives = look(modelId, directory, principal, nowMs);
    remembered.set(accountId, key, { atMs: nowMs, alternatives });
    return alternatives;
  }

  private rememberedOf(directory: Directory): SharedMemory<Found> {
    let remembered = this.found.get(directory);
    if (!remembered) {
      remembered = new SharedMemory(MOST_REMEMBERED);
      this.found.set(directory, remembered);
    }
    return remembered;
  }
}

function look(modelId: string, directory: Directory, principal: Principal, nowMs: number): readonly Alternative[] {
  const usable = new Map<string, Model>();
  const wanted = directory.visibleModel(modelId, principal.account.id);
  for (const model of usableModels(directory, principal)) {
    if (model.id === modelId || model.category !== wanted?.category) continue;
    if (directory.isHealthy(model.id, principal.account.id, nowMs)) usable.set(model.id, model);
  }
  const sameOwner = (id: string) => (usable.get(id)?.ownedBy === wanted?.ownedBy ? 0 : 1);
  const likest = suggestModels(modelId, [...usable.keys()]);
  const others = [...usable.keys()].sort((left, right) => sameOwner(left) - sameOwner(right));
  const ids = [...new Set([...likest, ...others])].slice(0, MOST);
  return ids.map((id) => ({ id, status: 'available', tags: usable.get(id)?.tags ?? [] }));
}
