import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { failedGeneration, meaningOfReason } from '../../shared/failure/google-finish.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { countOrNull, listOf, nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { jsonRequest } from '../../shared/media/image-request.ts';
import { joinPieces } from '../../shared/stream/relay-pieces.ts';
import { audioOfBase64, openSpeech, type SpeechJson } from '../shared/speech-answer.ts';
import { planSpeech, type SpeechTraits, unknownMembers } from '../shared/speech-request.ts';
import type { SpeechWire } from '../wire.ts';

/** The valid values in Google's published document, `SpeechConfig.languageCode`. */
const LANGUAGES = [
  ...['en-US', 'en-GB', 'en-AU', 'en-IN', 'es-ES', 'es-US', 'fr-FR', 'fr-CA', 'de-DE', 'it-IT', 'pt-BR', 'nl-NL'],
  ...['pl-PL', 'ru-RU', 'tr-TR', 'ar-XA', 'hi-IN', 'bn-IN', 'gu-IN', 'kn-IN', 'ml-IN', 'mr-IN', 'ta-IN', 'te-IN'],
  ...['cmn-CN', 'ja-JP', 'ko-KR', 'id-ID', 'th-TH', 'vi-VN'],
];

const TRAITS: SpeechTraits = {
  formats: ['pcm'],
  voices: {
    ...{ alloy: 'Kore', coral: 'Aoede', marin: 'Sulafat', nova: 'Leda', sage: 'Vindemiatrix', shimmer: 'Achernar' },
    ...{ ash: 'Charon', ballad: 'Enceladus', cedar: 'Achird', echo: 'Iapetus', fable: 'Algieba', onyx: 'Algenib' },
    verse: 'Puck',
  },
  defaultVoice: 'Kore',
  instructions: true,
  language: LANGUAGES,
};

/** These models speak the text verbatim and take the style separately. Earlier ones read the style from the prompt. */
const HAS_STYLE = /gemini-(?:3\.[89]|[4-9]|\d{2})/;

/** Speech over Gemini's `generateContent` (ai.google.dev, "Text-to-speech generation"): samples in base64. */
export const geminiSpeech: SpeechWire = {
  name: 'gemini-speech',
  operations: ['audio.speech'],
  harmlessOptions: ['safetySettings'],
  encodeRequest(request, { upstreamModel }) {
    const plan = planSpeech(request, TRAITS);
    if (plan instanceof Failure) return plan;
    const losses: Loss[] = [...plan.losses, ...unknownMembers(request.body)];
    const { instructions, language, voice } = plan;
    const isApart = HAS_STYLE.test(upstreamModel);
    if (instructions !== null && !isApart) {
      losses.push({ field: 'instructions', verdict: 'approximated', why: 'they are prepended to the text' });
    }
    const text = instructions === null || isApart ? request.input : `${instructions}: ${request.input}`;
    const style = isApart && instructions !== null ? { speechMetadata: { style: instructions } } : {};
    const members = {
      contents: [{ role: 'user', parts: [{ text, ...style }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: {
          voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } },
          languageCode: language,
        },
      },
    };
    return jsonRequest(members, request, losses);
  },
  openAnswer: (headers, request) => openSpeech(headers, request, TRAITS, { json: GEMINI_JSON }),
  decodeFailure,
};

const GEMINI_JSON: SpeechJson = {
  // A stream ends with a finish reason. A whole answer is complete without one.
  hasEndMark: true,
  read({ candidates, usageMetadata, promptFeedback }) {
    const refused = isRecord(promptFeedback) ? textOrNull(promptFeedback.blockReason) : null;
    if (refused !== null) return blocked(refused);
    if (!Array.isArray(candidates)) return bodyNoAnswer();
    const stopped = stoppedBy(candidates[0]);
    if (stopped !== null) return stopped;
    const pieces: Uint8Array[] = [];
    let mediaType: string | null = null;
    for (const part of partsOf(candidates[0])) {
      if (!isRecord(part) || !isRecord(part.inlineData)) continue;
      const bytes = audioOfBase64(part.inlineData.data);
      if (bytes instanceof Failure) return bytes;
      pieces.push(bytes);
      mediaType = textOrNull(part.inlineData.mimeType) ?? mediaType;
    }
    const isEnd = isRecord(candidates[0]) && nonEmptyText(candidates[0].finishReason) !== null;
    const part = { audio: joinPieces(pieces), mediaType, usage: usageOf(usageMetadata) };
    return isEnd ? { ...part, isEnd } : part;
  },
};

/**
 * Returns the failure of a stopped answer. Google's speech models may stop with OTHER; then the audio is missing or truncated.
 */
function stoppedBy(candidate: unknown): Failure | null {
  if (!isRecord(candidate) || typeof candidate.finishReason !== 'string') return null;
  const meaning = meaningOfReason(candidate.finishReason);
  if (meaning === 'content-filter') return blocked(candidate.finishReason);
  return meaning === 'failed' ? failedGeneration(candidate.finishReason, candidate.finishMessage) : null;
}

function partsOf(candidate: unknown): readonly unknown[] {
  return isRecord(candidate) && isRecord(candidate.content) ? listOf(candidate.content.parts) : [];
}

function usageOf(usage: unknown) {
  if (!isRecord(usage)) return null;
  const inputTokens = countOrNull(usage.promptTokenCount);
  const outputTokens = countOrNull(usage.candidatesTokenCount);
  return inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens };
}

function blocked(reason: string): Failure {
  return new Failure('invalid_request', {
    message: `The provider’s content filter refused the text (${reason.slice(0, 60)}).`,
    param: 'input',
    publicCode: 'content_policy_violation',
    kind: 'content_refused',
  });
}
