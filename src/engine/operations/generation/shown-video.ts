import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskRequest } from '../../../domain/tasks/task.ts';

/** The prompts of a page of a hundred videos must fit into one response. */
const LONGEST_PROMPT = 4_000;

/** Returns the members of a video request that clients see again (OpenAI, "Videos"). */
export function shownVideo(
  { prompt, durationSeconds, size }: Pick<VideoRequest, 'prompt' | 'durationSeconds' | 'size'>,
  remixedFrom: string | null,
): TaskRequest {
  return {
    prompt: prompt.slice(0, LONGEST_PROMPT).toWellFormed(),
    seconds: durationSeconds === null ? null : String(durationSeconds),
    size: size === null ? null : `${size.width}x${size.height}`,
    remixedFrom,
  };
}
