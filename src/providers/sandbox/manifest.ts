import type { SpeechDialect } from '../../formats/speech/wire.ts';
import type { ProviderManifest } from '../manifest.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { EMBEDDINGS_IN_BASE64 } from '../shared/openai-embeddings.ts';
import { OPENAI_IMAGE_EDITS, OPENAI_IMAGES } from '../shared/openai-images.ts';
import { OPENAI_MODERATIONS } from '../shared/openai-moderations.ts';
import { OPENAI_SPEECH } from '../shared/openai-speech.ts';
import { OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS } from '../shared/openai-transcriptions.ts';
import { sandboxUpstream } from './local.ts';
import { models } from './models.ts';
import { chatQuirks } from './quirks.ts';

const speechDialects: readonly SpeechDialect[] = [
  { formats: ['mp3', 'wav', 'pcm'], speed: [0.25, 4], hasEvents: true, hasVoiceObjects: true },
];

/** Answers inside the process, so that the first request works without any account. */
export const sandbox: ProviderManifest = {
  name: 'sandbox',
  label: 'Sandbox',
  // Never contacted, because `local` answers. The top-level domain cannot exist (RFC 2606).
  baseUrl: 'http://sandbox.invalid/v1',
  keyVariables: [],
  keyRequired: false,
  formats: [{ ...OPENAI_CHAT, quirks: chatQuirks }],
  models,
  wires: [
    OPENAI_MODERATIONS,
    EMBEDDINGS_IN_BASE64,
    JINA_RERANK,
    { wire: 'tavily-search', path: '/search' },
    // Must come before the wire for immediate images, because the first match is used.
    { wire: 'sandbox-images', path: '/jobs', models: /^sandbox-slow-image$/ },
    OPENAI_IMAGES,
    OPENAI_IMAGE_EDITS,
    { ...OPENAI_SPEECH, speech: speechDialects },
    OPENAI_TRANSCRIPTIONS,
    OPENAI_TRANSLATIONS,
    { wire: 'sandbox-videos', path: '/jobs' },
    { wire: 'sandbox-music', path: '/jobs' },
    { wire: 'sandbox-3d', path: '/jobs' },
  ],
  local: sandboxUpstream,
  isSynthetic: true,
};
