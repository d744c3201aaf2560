/** The possible meanings of a text in the search. */
export interface Sought {
  /** A part of a name or an id, for the lists of the gateway. */
  readonly words?: string;
  readonly requestId?: string;
}

const LEAST_WORDS = 2;
const MOST_WORDS = 200;
/** A whole secret, which must not be sent in an address, since addresses are logged. A preview has `…` in it. */
const SECRET = /(?:^|\s)(?:sk|mt)-[\x21-\x7e]{16,}/;
const REQUEST_ID = /^req_[\w-]{8,100}$/;

export function soughtIn(typed: string): Sought {
  const words = typed.trim();
  if (words.length < LEAST_WORDS || words.length > MOST_WORDS || SECRET.test(words)) return {};
  return { words, ...(REQUEST_ID.test(words) && { requestId: words }) };
}
