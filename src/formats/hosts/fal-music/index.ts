import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { falFailure } from '../shared/fal-failure.ts';
import { falRequest, polledFal, pollFal, refusedByFal, submittedToFal } from '../shared/fal-queue.ts';
import {
  askedOfMusic,
  MUSIC_HARMLESS_OPTIONS,
  MUSIC_PRICED_OPTIONS,
  type MusicModel,
  musicMembers,
  PROMPT_ALONE,
} from '../shared/hosted-music.ts';

/** The members of models that accept more than a prompt (fal.ai/models/{id}/llms.txt). */
const MODELS: Readonly<Record<string, MusicModel>> = {
  'fal-ai/stable-audio': { ...PROMPT_ALONE, usualSeconds: 30 },
  'fal-ai/stable-audio-25/text-to-audio': { ...PROMPT_ALONE, usualSeconds: 190 },
  // The prompt is a list of tags.
  'fal-ai/ace-step': { ...PROMPT_ALONE, prompt: 'tags', usualSeconds: 60 },
  'fal-ai/ace-step/prompt-to-audio': { ...PROMPT_ALONE, usualSeconds: 60 },
};

function modelOf(id: string): MusicModel {
  return (Object.hasOwn(MODELS, id) ? MODELS[id] : undefined) ?? PROMPT_ALONE;
}

/** Music models of many vendors at fal. */
export const falMusic: TaskWire<MusicRequest> = {
  name: 'fal-music',
  operations: ['music.generations'],
  harmlessOptions: MUSIC_HARMLESS_OPTIONS,
  pricedOptions: MUSIC_PRICED_OPTIONS,
  asks: (request, { upstreamModel }) => askedOfMusic(request, modelOf(upstreamModel)),
  encodeRequest(request, { upstreamModel }) {
    const input = musicMembers(request, modelOf(upstreamModel));
    if (input instanceof Failure) return input;
    return falRequest(upstreamModel, input.members, request.options, input.losses);
  },
  decodeSubmission: (answer, _, { upstreamModel }) => submittedToFal(answer, upstreamModel),
  poll: pollFal,
  decodePoll: (answer, ticket) => polledFal(answer, ticket, 'music'),
  decodeRefusal: refusedByFal,
  decodeFailure: (status, headers, bytes) => falFailure(status, headers, bytes, 'prompt', () => null),
};
