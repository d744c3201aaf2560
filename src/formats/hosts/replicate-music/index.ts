import { HOSTED_MUSIC, type MusicModel, PROMPT_ALONE } from '../shared/hosted-music.ts';
import { replicateModel, replicateTasks } from '../shared/replicate-predictions.ts';

/** The `input` members of models that accept more than a prompt (replicate.com/{owner}/{name}/api). */
const MODELS: Readonly<Record<string, MusicModel>> = {
  'meta/musicgen': { ...PROMPT_ALONE, usualSeconds: 8 },
  'stability-ai/stable-audio-2.5': { ...PROMPT_ALONE, usualSeconds: 190 },
  // The prompt is a list of tags.
  'lucataco/ace-step': { ...PROMPT_ALONE, prompt: 'tags', usualSeconds: 60 },
};

/** Music models at Replicate. */
export const replicateMusic = replicateTasks(
  'replicate-music',
  HOSTED_MUSIC,
  (id) => replicateModel(MODELS, PROMPT_ALONE, id),
  {},
);
