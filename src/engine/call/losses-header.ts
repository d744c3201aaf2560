import type { Loss } from '../../domain/exchange/loss.ts';
import { asciiJson } from '../../domain/text/ascii-json.ts';

/** Proxies in front of the gateway commonly accept 8 KiB of headers in total. */
const MAX_CHARACTERS = 3_000;

/**
 * Returns the value of `x-switchyard-losses`: a JSON array of the losses of the request, or `null` for no losses. A last entry counts the
 * losses that do not fit, so that none is silently left out.
 */
export function lossesHeader(losses: readonly Loss[]): string | null {
  if (losses.length === 0) return null;
  const shown: string[] = [];
  let length = 2;
  for (const loss of losses) {
    const json = asciiJson(loss);
    if (length + json.length > MAX_CHARACTERS) break;
    shown.push(json);
    length += json.length + 1;
  }
  const hidden = losses.length - shown.length;
  if (hidden > 0) shown.push(asciiJson({ field: '…', verdict: 'dropped', why: `and ${hidden} more` }));
  return `[${shown.join(',')}]`;
}
