import type { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { EncodeTarget } from '../format.ts';

type Block = Readonly<Record<string, unknown>>;

export interface Encoding {
  readonly request: ExchangeRequest;
  readonly target: EncodeTarget;
  readonly losses: Losses;
  /** The documents of all user messages. The API of Cohere has them outside the conversation. */
  readonly documents: Block[];
  /** For each document, the request's setting for citing it. */
  readonly wantsCitations: boolean[];
}
