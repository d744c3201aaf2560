import type { Loss } from '../../../domain/exchange/loss.ts';
import { isMedia, type Part } from '../../../domain/exchange/part.ts';

/**
 * Returns the loss of a part's opaque state. Each client format has a different member for it, which the engine finds; for an
 * image that a model made, the state is the whole record of its creation.
 */
export function lostState(part: Part, why: string): Loss {
  const path = part.path ?? 'messages';
  return isMedia(part)
    ? { field: path, verdict: 'approximated', why }
    : { field: `${path}.state`, verdict: 'dropped', why };
}
