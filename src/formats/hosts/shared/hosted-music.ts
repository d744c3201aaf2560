import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import { entryOf } from '../../shared/json/record.ts';
import type { Members } from '../../shared/media/image-request.ts';
import { musicLosses } from '../../shared/tasks/generation-request.ts';
import type { HostedKind } from './hosted.ts';

/* Music requests to providers that host models of many vendors. */

export interface MusicModel {
  /** The member for the description of the music. */
  readonly prompt: string;
  /** The member for style tags; `null` if the description is the only text. */
  readonly tags: string | null;
  /** The default length of a piece, in seconds; `null` if unknown. */
  readonly usualSeconds: number | null;
}

/** The members that most models have. */
export const PROMPT_ALONE: MusicModel = { prompt: 'prompt', tags: null, usualSeconds: null };

/** The models' names for the length of a piece, and how many of their units make a second. Clients have no field for it. */
const LENGTH_OPTIONS: Readonly<Record<string, number>> = { duration: 1, seconds_total: 1, music_length_ms: 1_000 };

export const HOSTED_MUSIC: HostedKind<MusicRequest, MusicModel> = {
  kind: 'music',
  wire: {
    operations: ['music.generations'],
    // Options at both providers that never affect the price.
    harmlessOptions: [
      ...['lyrics', 'lyrics_prompt', 'negative_prompt', 'seed', 'temperature', 'top_k', 'top_p', 'guidance_scale'],
      ...['classifier_free_guidance', 'normalization_strategy', 'output_format', 'audio_format', 'sample_rate'],
      ...['bitrate', 'audio_setting', 'instrumental', 'is_instrumental', 'force_instrumental', 'bpm'],
    ],
    pricedOptions: Object.keys(LENGTH_OPTIONS),
  },
  asks({ options }, { usualSeconds }) {
    const length = lengthIn(options);
    return { count: 1, seconds: length instanceof Failure ? null : (length ?? usualSeconds), resolution: null };
  },
  input(request, model) {
    const length = lengthIn(request.options);
    if (length instanceof Failure) return length;
    const joined = {
      verdict: 'approximated',
      why: 'the model has no field for tags: they are added to the end of the prompt',
    } as const;
    const losses = musicLosses(request, { tags: model.tags === null ? joined : 'exact' });
    if (losses instanceof Failure) return losses;
    const { prompt, tags } = request;
    const isJoined = model.tags === null && tags !== null && tags !== '';
    const members = {
      [model.prompt]: isJoined ? `${prompt}\n${tags}` : prompt,
      ...(model.tags !== null && { [model.tags]: tags }),
    };
    return { members, losses };
  },
};

/**
 * Returns the length in seconds; `null` if no option states it. An invalid value fails, because the charged length would differ
 * from the real one.
 */
function lengthIn(options: Members): number | null | Failure {
  let longest: number | null = null;
  for (const [name, perSecond] of Object.entries(LENGTH_OPTIONS)) {
    const value = entryOf(options, name);
    if (value === undefined || value === null) continue;
    if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(value)) {
      const param = `provider_options.${name}`;
      return new Failure('invalid_value', { message: `\`${param}\` must be a number greater than 0.`, param });
    }
    longest = Math.max(longest ?? 0, value / perSecond);
  }
  return longest;
}
