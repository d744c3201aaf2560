import type { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { EncodeTarget } from '../format.ts';

/** A JSON object that is being written. */
export type Wire = Record<string, unknown>;

/** An upstream body that is being written. */
export interface Writing {
  readonly request: ExchangeRequest;
  readonly target: EncodeTarget;
  readonly losses: Losses;
  /** Whether the request came in this format: then members outside the canonical request go back to their original place. */
  readonly isOwn: boolean;
  /** The objects that were written, by their path in the client's body. */
  readonly written: Map<string, Wire>;
  /** Paths of items that must be sent without an id, because the reasoning item that the id belongs to is not sent. */
  readonly withoutIds: Set<string>;
}

/** Returns the name of the member: the path's last part, after the path of an object that this format's decoder writes. */
export function lastName(path: string): string {
  const inside =
    /^(?:(?:input|tools)\[\d+\](?:\.(?:content|output|tools)\[\d+\])?|text\.format|text|reasoning|stream_options)\./.exec(
      path,
    );
  return inside === null ? path : path.slice(inside[0].length);
}
