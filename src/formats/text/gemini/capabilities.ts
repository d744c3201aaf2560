import type { Carries } from '../../../domain/exchange/loss.ts';
import type { MediaPart } from '../../../domain/exchange/part.ts';
import { registeredMediaType } from '../../../domain/media/media-label.ts';
import type { DecodeSource } from '../../format.ts';
import { googleMediaType } from '../../shared/media/google-media-type.ts';
import { mediaTypeOfBase64 } from '../../shared/media/media-label.ts';
import { isOnlyAtGoogle } from './messages.decode.ts';

/** How an upstream of Gemini's generateContent handles each feature (published document v1beta, and ai.google.dev). */
export const carries: Carries = {
  'max-output-tokens': 'exact',
  temperature: 'exact',
  'top-p': 'exact',
  'top-k': 'exact',
  'frequency-penalty': 'exact',
  'presence-penalty': 'exact',
  seed: 'exact',
  stop: 'exact',
  'candidate-count': 'exact',
  logprobs: 'exact',
  'logit-bias': { verdict: 'dropped', why: 'Gemini does not support logit bias' },
  'json-mode': 'exact',
  'json-schema': 'exact',
  verbosity: { verdict: 'dropped', why: 'Gemini does not support verbosity' },
  'output-modalities': 'exact',
  'reasoning-effort': 'exact',
  'reasoning-budget': 'exact',
  'reasoning-summary': 'exact',
  'reasoning-text': { verdict: 'dropped', why: 'Gemini accepts only its own reasoning' },
  'reasoning-state': 'exact',
  'function-tools': 'exact',
  'strict-tools': { verdict: 'dropped', why: 'Gemini has no strict mode for one tool' },
  'custom-tools': {
    verdict: 'approximated',
    why: 'Gemini has no freeform tools, so each becomes a function with one string parameter',
  },
  'web-search': 'exact',
  'hosted-tools': { verdict: 'refused', why: 'another provider runs the tool' },
  'tool-choice': 'exact',
  'tool-choice-required': 'exact',
  'tool-choice-named': 'exact',
  'tool-choice-allowed': 'exact',
  'parallel-tool-calls': { verdict: 'dropped', why: 'Gemini cannot be limited to one call at a time' },
  'tool-result-media': 'exact',
  'tool-result-error': 'exact',
  'system-prompt': 'exact',
  'system-prompt-midway': {
    verdict: 'approximated',
    why: 'Gemini has system instructions only at the start, so a later one is sent as a user turn',
  },
  'participant-name': { verdict: 'dropped', why: 'Gemini has no participant names' },
  text: 'exact',
  refusal: { verdict: 'approximated', why: 'Gemini has no refusals in a conversation, so a refusal is sent as text' },
  citations: { verdict: 'dropped', why: 'Gemini does not accept citations in a conversation' },
  'image-inline': 'exact',
  'image-url': 'exact',
  'image-detail': {
    verdict: 'dropped',
    why: 'Gemini has one level of detail for all media in a request (mediaResolution)',
  },
  'audio-inline': 'exact',
  'audio-url': 'exact',
  'video-inline': 'exact',
  'video-url': 'exact',
  'document-inline': 'exact',
  'document-url': 'exact',
  'document-text': { verdict: 'approximated', why: 'a plain-text document is sent as text' },
  'document-details': { verdict: 'dropped', why: 'Gemini does not accept a title or context for a document' },
  'provider-file': { verdict: 'refused', why: 'the file is stored by another provider' },
  'cache-marks': { verdict: 'dropped', why: 'Gemini caches prompts automatically' },
  'cache-key': { verdict: 'dropped', why: 'Gemini caches prompts automatically' },
  user: { verdict: 'dropped', why: 'Gemini has no field for the end user' },
  metadata: { verdict: 'dropped', why: 'Gemini does not support metadata' },
  'service-tier': { verdict: 'dropped', why: 'service tiers differ between providers' },
  'unknown-blocks': { verdict: 'refused', why: 'only an upstream of the same format understands this part' },
};

const URL_FEATURES = {
  image: 'image-url',
  audio: 'audio-url',
  video: 'video-url',
  document: 'document-url',
} as const;

/**
 * Returns whether a part's bytes are needed. Google itself has fetched public https URLs since January 2026 (ai.google.dev, "File
 * input methods"), if their media type is stated. A provider or model that does not fetch them has a quirk that it lacks the
 * feature.
 */
export function needsBytes(part: MediaPart, quirks: DecodeSource['quirks']): boolean {
  const { source, type } = part;
  if (source.kind !== 'url') return false;
  if (isOnlyAtGoogle(source.url)) return false;
  if (!source.url.startsWith('https://') || mediaTypeOf(part) === null) return true;
  return quirks.some((quirk) => quirk.kind === 'lacks' && quirk.feature === URL_FEATURES[type]);
}

const BY_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  aac: 'audio/aac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

/**
 * Returns the media type: the one that the client stated, otherwise by the first bytes or the URL's extension; `null` if neither
 * shows it.
 */
export function mediaTypeOf(part: MediaPart): string | null {
  const mediaType = anyMediaTypeOf(part);
  return mediaType === null ? null : googleMediaType(mediaType);
}

function anyMediaTypeOf({ mediaType, source }: MediaPart): string | null {
  if (mediaType !== null && !mediaType.endsWith('/*')) return registeredMediaType(mediaType) ?? mediaType;
  if (source.kind === 'base64') return mediaTypeOfBase64(null, source.data);
  if (source.kind !== 'url') return null;
  const extension = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(source.url)?.[1]?.toLowerCase();
  return extension === undefined || !Object.hasOwn(BY_EXTENSION, extension) ? null : (BY_EXTENSION[extension] ?? null);
}
