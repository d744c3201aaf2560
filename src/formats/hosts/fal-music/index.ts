import { entryOf } from '../../shared/json/record.ts';
import { falTasks } from '../shared/fal-queue.ts';
import { HOSTED_MUSIC, type MusicModel, PROMPT_ALONE } from '../shared/hosted-music.ts';

/** The members of models that accept more than a prompt (fal.ai/models/{id}/llms.txt). */
const MODELS: Readonly<Record<string, MusicModel>> = {
  'fal-ai/stable-audio': { ...PROMPT_ALONE, usualSeconds: 30 },
  'fal-ai/stable-audio-25/text-to-audio': { ...PROMPT_ALONE, usualSeconds: 190 },
  // The prompt is a list of tags.
  'fal-ai/ace-step': { ...PROMPT_ALONE, prompt: 'tags', usualSeconds: 60 },
  'fal-ai/ace-step/prompt-to-audio': { ...PROMPT_ALONE, usualSeconds: 60 },
};

/** Music models of many vendors at fal. */
export const falMusic = falTasks('fal-music', HOSTED_MUSIC, {
  placeOf: (id) => ({ endpoint: id, model: entryOf(MODELS, id) ?? PROMPT_ALONE }),
  imageField: 'prompt',
  names: {},
});
