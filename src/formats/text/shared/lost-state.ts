import type { Loss } from '../../../domain/exchange/loss.ts';
import { isMedia, type Part } from '../../../domain/exchange/part.ts';

/**
 * The opaque state of a part that is carried without it. Each client format has another member for it, which the engine
 * finds; of a picture that a model made the whole record of its making is that state.
 */
export function lostState(part: Part, why: string): Loss {
  const path = part.path ?? 'messages';
  return isMedia(part)
    ? { field: path, verdict: 'approximated', why }
    : { field: `${path}.state`, verdict: 'dropped', why };
}
