import type { TranscriptionTraits } from '../../formats/transcription/wire.ts';
import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_SPEECH } from '../shared/openai-speech.ts';
import { OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS } from '../shared/openai-transcriptions.ts';
import { GROQ_SPEECH } from '../shared/speech-dialects.ts';
import { GROQ_BATCHES } from './batches.ts';
import { families } from './families.ts';
import { chatGoverns, responsesGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks, responsesQuirks } from './quirks.ts';

/**
 * The published document (`CreateTranscriptionRequest`) allows no other parts. The error about the prompt says "must be 896
 * characters or fewer" (github.com/OpenWhispr/openwhispr/issues/405).
 */
const TRANSCRIPTION: TranscriptionTraits = { longestPrompt: 896, isStrict: true };

export const groq: ProviderManifest = {
  name: 'groq',
  label: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  keyVariables: ['GROQ_API_KEY'],
  keyRequired: true,
  keyPattern: /^gsk_[A-Za-z0-9]{20,}$/,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: chatGoverns },
    { ...OPENAI_RESPONSES, quirks: responsesQuirks, governs: responsesGoverns },
  ],
  wires: [
    { ...OPENAI_SPEECH, speech: GROQ_SPEECH },
    { ...OPENAI_TRANSCRIPTIONS, transcription: TRANSCRIPTION },
    { ...OPENAI_TRANSLATIONS, transcription: TRANSCRIPTION },
  ],
  relays: ['files', 'batches'],
  batches: GROQ_BATCHES,
  families,
  models: catalogOf('groq', yaml),
  modelList: OPENAI_MODELS,
};
