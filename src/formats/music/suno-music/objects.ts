/*
 * To continue a clip, most proxies also need the id of the job that made it (`task_id`), which tells them which of their accounts
 * has the clip. Clients refer only to the clip, so the id that they get combines the two.
 */

const SEPARATOR = '~';

export interface ClipName {
  /** `null` for a clip of which only its own id is known. */
  readonly job: string | null;
  readonly clip: string;
}

/** The longest id that a client may send. */
const LONGEST = 256;

export function clipIdOf(job: string, clip: string): string {
  const both = `${job}${SEPARATOR}${clip}`;
  return both.length > LONGEST ? clip : both;
}

/**
 * Returns the clip that a client's `continue_clip_id` refers to. An id that the gateway did not make is the provider's own clip
 * id.
 */
export function clipToContinue(id: string): ClipName {
  const at = id.indexOf(SEPARATOR);
  if (at <= 0 || at === id.length - 1) return { job: null, clip: id };
  return { job: id.slice(0, at), clip: id.slice(at + 1) };
}
