/*
 * To continue a clip, most proxies want the id of the job that has made it, too (`task_id`): only by that they know which of their
 * accounts has the clip. Clients name nothing but the clip, so its id here is both.
 */

const SEPARATOR = '~';

export interface ClipName {
  /** `null` for a clip of which nothing but its own id is known. */
  readonly job: string | null;
  readonly clip: string;
}

/** What a client may name at most. */
const LONGEST = 256;

export function clipIdOf(job: string, clip: string): string {
  const both = `${job}${SEPARATOR}${clip}`;
  return both.length > LONGEST ? clip : both;
}

/** What a client's `continue_clip_id` stands for. One that is no id of here is the clip's own at the provider. */
export function clipToContinue(id: string): ClipName {
  const at = id.indexOf(SEPARATOR);
  if (at <= 0 || at === id.length - 1) return { job: null, clip: id };
  return { job: id.slice(0, at), clip: id.slice(at + 1) };
}
