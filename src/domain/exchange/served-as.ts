/** What an answer itself says of how it was made. */
export interface ServedAs {
  /** The model that has answered, in the upstream's words; `null` where it names none. */
  readonly model: string | null;
  /** The service tier that was really used; `null` where it says none. */
  readonly serviceTier: string | null;
}

const LONGEST_MODEL = 200;
const OF_GOOGLE = 'models/';

/** The model that the answer names, if it differs from the model that was requested upstream. */
export function otherModel(said: string | null | undefined, upstreamModel: string | null | undefined): string | null {
  const named = said?.startsWith(OF_GOOGLE) ? said.slice(OF_GOOGLE.length) : (said ?? null);
  return named === null || named === upstreamModel ? null : named.slice(0, LONGEST_MODEL);
}
