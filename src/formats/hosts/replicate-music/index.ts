import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import {
  askedOfMusic,
  MUSIC_HARMLESS_OPTIONS,
  MUSIC_PRICED_OPTIONS,
  type MusicModel,
  musicMembers,
  PROMPT_ALONE,
} from '../shared/hosted-music.ts';
import {
  polledPrediction,
  pollPrediction,
  predictionFailure,
  predictionRequest,
  submittedPrediction,
} from '../shared/replicate-predictions.ts';

/** The `input` members of models that accept more than a prompt (replicate.com/{owner}/{name}/api). */
const MODELS: Readonly<Record<string, MusicModel>> = {
  'meta/musicgen': { ...PROMPT_ALONE, usualSeconds: 8 },
  'stability-ai/stable-audio-2.5': { ...PROMPT_ALONE, usualSeconds: 190 },
  // The prompt is a list of tags.
  'lucataco/ace-step': { ...PROMPT_ALONE, prompt: 'tags', usualSeconds: 60 },
};

function modelOf(id: string): MusicModel {
  const [name = ''] = id.split(':');
  return (Object.hasOwn(MODELS, name) ? MODELS[name] : undefined) ?? PROMPT_ALONE;
}

/** Music models at Replicate. */
export const replicateMusic: TaskWire<MusicRequest> = {
  name: 'replicate-music',
  operations: ['music.generations'],
  harmlessOptions: MUSIC_HARMLESS_OPTIONS,
  pricedOptions: MUSIC_PRICED_OPTIONS,
  asks: (request, { upstreamModel }) => askedOfMusic(request, modelOf(upstreamModel)),
  encodeRequest(request, { upstreamModel }) {
    const input = musicMembers(request, modelOf(upstreamModel));
    if (input instanceof Failure) return input;
    return predictionRequest(upstreamModel, input.members, request.options, input.losses);
  },
  decodeSubmission: (answer) => submittedPrediction(answer, 'music'),
  poll: pollPrediction,
  decodePoll: (answer, ticket) => polledPrediction(answer, ticket, 'music'),
  decodeFailure: (status, headers, bytes) => predictionFailure(status, headers, bytes, {}),
};
