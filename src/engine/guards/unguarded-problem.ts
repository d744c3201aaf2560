import type { Principal } from '../../domain/access/principal.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import { type GuardsInForce, mayBeGuarded, ownGuards } from '../directory/guards-in-force.ts';
import { missingGuard, unguardedRefusal } from './content-refusal.ts';

/**
 * Returns the failure for a call whose content cannot be checked, although guards of its account, its key or its model apply; `null` if none do,
 * or if all of them let such calls pass.
 */
export function unguardedProblem(
  guards: GuardsInForce | null,
  principal: Principal,
  modelId: string | null,
): Failure | null {
  if (!mayBeGuarded(guards, principal)) return null;
  const ids = modelId === null ? ownGuards(principal) : [...ownGuards(principal), ...(guards?.ofModel(modelId) ?? [])];
  for (const id of ids) {
    const known = guards?.find(id) ?? null;
    if (known === null) return missingGuard(id);
    if (known.guard.unguarded === 'refuse') return unguardedRefusal(id);
  }
  return null;
}
