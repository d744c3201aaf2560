import {
  EMPTY_TRANSCRIPT,
  type Transcript,
  type TranscriptionRequest,
  type TranscriptionTokens,
} from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, garbage } from '../../shared/failure/answer-failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { failedGeneration, meaningOfReason } from '../../shared/failure/google-finish.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { largestCount, listOf, nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { WireAnswer } from '../../wire.ts';
import { noText, segmentsIn, textOfSegments } from '../shared/transcript-answer.ts';
import { isTimed } from './request.ts';

type Members = Readonly<Record<string, unknown>>;

export function decodeAnswer(
  { bytes }: Pick<WireAnswer, 'bytes'>,
  request: Pick<TranscriptionRequest, 'format' | 'granularities'>,
): Transcript | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const written = writtenText(body);
  if (written instanceof Failure) return written;
  const common = { ...EMPTY_TRANSCRIPT, tokens: tokensOf(body.usageMetadata), model: nonEmptyText(body.modelVersion) };
  return isTimed(request) ? timedTranscript(written, common) : { ...common, text: written.trim() };
}

/** Returns the model's output without its thoughts. */
function writtenText({ promptFeedback, candidates }: Members): string | Failure {
  if (isRecord(promptFeedback) && nonEmptyText(promptFeedback.blockReason) !== null) return blocked();
  const [candidate] = listOf(candidates);
  if (!isRecord(candidate)) return bodyNoAnswer();
  const { finishReason, finishMessage, content } = candidate;
  const meaning = typeof finishReason === 'string' ? meaningOfReason(finishReason) : 'stop';
  if (meaning === 'length') return garbage("The upstream's transcript was truncated at its maximum length.");
  if (meaning === 'content-filter') return blocked();
  if (meaning !== 'stop') return failedGeneration(String(finishReason), finishMessage);
  const parts = isRecord(content) ? listOf(content.parts) : [];
  return parts.map((part) => (isRecord(part) && part.thought !== true ? textOrEmpty(part.text) : '')).join('');
}

/** Returns the failure for a refusal by the provider's filter; other providers may have a different one. */
function blocked(): Failure {
  return new Failure('invalid_value', {
    message: "The provider's content filter refused to transcribe this recording.",
    param: 'file',
    publicCode: 'content_policy_violation',
    kind: 'content_refused',
    retry: 'never',
  });
}

function timedTranscript(written: string, common: Transcript): Transcript | Failure {
  const told = parseObject(written);
  if (told === null) return noText();
  const segments = segmentsIn(told.segments, ({ start, end, text, speaker }) => ({ start, end, text, speaker }));
  if (segments instanceof Failure) return segments;
  if (segments === null) return noText();
  return { ...common, text: textOfSegments(segments), segments, language: nonEmptyText(told.language) };
}

/** Reads the tokens: thoughts are billed as output, and the details of the prompt state how much was audio. */
function tokensOf(usage: unknown): TranscriptionTokens | null {
  if (!isRecord(usage)) return null;
  const prompt = largestCount(usage.promptTokenCount);
  if (prompt === null) return null;
  const audio = listOf(usage.promptTokensDetails).find((detail) => isRecord(detail) && detail.modality === 'AUDIO');
  const audioInput = Math.min(prompt, (isRecord(audio) ? largestCount(audio.tokenCount) : null) ?? prompt);
  const output = (largestCount(usage.candidatesTokenCount) ?? 0) + (largestCount(usage.thoughtsTokenCount) ?? 0);
  return { textInput: prompt - audioInput, audioInput, output };
}
