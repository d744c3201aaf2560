import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { jsonRequest, type Members } from '../../shared/media/image-request.ts';
import { musicLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { clipToContinue } from './objects.ts';

/** The proxies' default version. */
const USUAL_VERSION = 'chirp-v3-0';
/** Suno makes two versions of every song. */
const SONGS = 2;

/** Implements `TaskWire.asks`. Proxies that charge by version can be priced accordingly: `chirp-v4`, or `lyrics`. */
export function asks(request: MusicRequest, target: WireTarget): AskedWork {
  const isSong = request.action === 'MUSIC';
  return {
    count: isSong ? SONGS : 1,
    seconds: null,
    resolution: null,
    traits: [isSong ? versionOf(request, target) : 'lyrics'],
  };
}

/** Returns the client's version, otherwise the upstream model if its id is one (`chirp-v4`), otherwise the default. */
function versionOf({ mv }: MusicRequest, { upstreamModel }: WireTarget): string {
  return mv || (/^chirp[-_]/i.test(upstreamModel) ? upstreamModel : USUAL_VERSION);
}

export function encodeRequest(request: MusicRequest, target: WireTarget): WireRequest | Failure {
  return request.action === 'LYRICS' ? lyricsRequest(request) : songRequest(request, target);
}

function lyricsRequest(request: MusicRequest): WireRequest | Failure {
  const why = 'the provider accepts only a description for lyrics';
  const dropped = { verdict: 'dropped', why } as const;
  const refused = { verdict: 'refused', why: 'lyrics cannot continue a clip' } as const;
  const losses = musicLosses(request, {
    ...{ lyrics: 'exact', title: dropped, tags: dropped, mv: dropped },
    ...{ continueClipId: refused, continueAtSeconds: refused },
  });
  if (losses instanceof Failure) return losses;
  return jsonRequest({ prompt: request.prompt }, request, losses, { suffix: '/lyrics' });
}

function songRequest(request: MusicRequest, target: WireTarget): WireRequest | Failure {
  const { prompt: ownLyrics, ...options } = request.options;
  if (ownLyrics !== undefined && ownLyrics !== null && typeof ownLyrics !== 'string') {
    return new Failure('invalid_value', {
      message: '`provider_options.prompt` must be a string: the lyrics of the song.',
      param: 'provider_options.prompt',
    });
  }
  const losses = musicLosses(request, {
    ...{ title: 'exact', tags: 'exact', mv: 'exact' },
    ...{ continueClipId: 'exact', continueAtSeconds: 'exact' },
  });
  if (losses instanceof Failure) return losses;
  const worded = wordsOf(request, ownLyrics || null);
  const clip = request.continueClipId ? clipToContinue(request.continueClipId) : null;
  const members: Members = {
    ...worded.members,
    title: request.title || null,
    mv: versionOf(request, target),
    continue_clip_id: clip?.clip,
    continue_at: request.continueAtSeconds,
    // The clip belongs to one of the proxy's accounts, which only the job identifies.
    task_id: Object.hasOwn(options, 'task_id') ? null : clip?.job,
  };
  return jsonRequest(members, { options }, [...losses, ...worded.losses], { suffix: '/music' });
}

interface Worded {
  readonly members: Members;
  readonly losses: readonly Loss[];
}

/**
 * Chooses between the provider's two ways to make a song. From a description (`gpt_description_prompt`) it writes the lyrics, the
 * title and the style itself. With given lyrics (`prompt`, sung verbatim) it takes a `title` and a style (`tags`). The contract's
 * `prompt` is style, mood and instruments, so it counts as a description and is never sung, unless it clearly is lyrics, or
 * lyrics are given in `provider_options.prompt`; then it is added to the style tags.
 */
function wordsOf(request: MusicRequest, ownLyrics: string | null): Worded {
  const { prompt, tags, title, options } = request;
  if (ownLyrics !== null) return { members: { prompt: ownLyrics, tags: joined(tags, prompt) }, losses: [] };
  if (isLyrics(prompt)) return { members: { prompt, tags: tags || null }, losses: [] };
  if (request.continueClipId) {
    const why = 'a continued clip takes lyrics and style tags, so the prompt becomes a tag';
    const loss: Loss = { field: 'prompt', verdict: 'approximated', why };
    return { members: { prompt: '', tags: joined(tags, prompt) }, losses: [loss] };
  }
  // Without lyrics there is nothing to write, so title and style are used as they are.
  if (options.make_instrumental === true && (title || tags)) {
    return { members: { prompt: '', tags: joined(tags, prompt) }, losses: [] };
  }
  const losses: Loss[] = [];
  const why = 'the provider writes the lyrics from a description and chooses title and style itself';
  if (title) losses.push({ field: 'title', verdict: 'approximated', why });
  if (tags)
    losses.push({ field: 'tags', verdict: 'approximated', why: `${why}; the tags are part of the description` });
  return { members: { gpt_description_prompt: joined(prompt, tags), tags: tags || null }, losses };
}

/** Returns whether the text has section marks, such as `[Verse]` and `[Chorus 2]`, or lines like a song's. */
function isLyrics(text: string): boolean {
  if (
    /\[(?:verse|chorus|bridge|intro|outro|hook|refrain|pre-chorus|instrumental|interlude|end)\b[^\]\n]{0,40}\]/i.test(
      text,
    )
  ) {
    return true;
  }
  return text.split('\n').filter((line) => line.trim() !== '').length >= 4;
}

function joined(...texts: readonly (string | null)[]): string {
  return texts.filter((text) => text).join(', ');
}
