/** An answer's own statements about how it was made. */
export interface ServedAs {
  /** The model that answered, in the upstream's words; `null` if it names none. */
  readonly model: string | null;
  /** The service tier that was actually used; `null` if none is stated. */
  readonly serviceTier: string | null;
}

const LONGEST_MODEL = 200;
const OF_GOOGLE = 'models/';

/** Returns the model that the answer names, if it differs from the one requested upstream. */
export function otherModel(said: string | null | undefined, upstreamModel: string | null | undefined): string | null {
  const named = said?.startsWith(OF_GOOGLE) ? said.slice(OF_GOOGLE.length) : (said ?? null);
  return named === null || named === upstreamModel ? null : named.slice(0, LONGEST_MODEL);
}
