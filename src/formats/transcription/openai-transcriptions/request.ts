import type { TranscriptionRequest, VoiceDetection } from '../../../domain/audio/transcription.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { entryOf } from '../../shared/json/record.ts';
import { encodeForm, type FormPart } from '../../shared/request/form-body.ts';
import type { OwnMembers, WireRequest } from '../../wire.ts';
import { askedFormat, rulesFor } from '../shared/openai-transcription-models.ts';
import { fileNameOf, lossesOf, textParts, withOptions } from '../shared/transcription-request.ts';
import type { TranscriptionTarget, TranscriptionTraits } from '../wire.ts';

const NO_MEMBERS: OwnMembers = {};
const NO_OTHERS: TranscriptionRequest['others'] = new Map();
const ANY_SERVER: TranscriptionTraits = {};

/** Encodes a form in OpenAI's shape. The file comes last, because some servers read parts after it too late. */
export function encodeRequest(request: TranscriptionRequest, target: TranscriptionTarget): WireRequest | Failure {
  const { rules, language, languages } = rulesFor(request, target);
  const { transcription = ANY_SERVER } = target;
  // Unknown parts are sent unchanged to a server of the same format, unless it is known to refuse them.
  const isStrict = transcription.isStrict === true;
  const losses = lossesOf(isStrict ? request : { ...request, others: NO_OTHERS }, rules);
  if (losses instanceof Failure) return losses;
  const { kind, granularities } = request;
  const chunking = request.chunking ?? (rules.needsChunking === true ? 'auto' : null);
  const { carries } = rules;
  const isStreamed = request.stream && rules.streams;
  const format = askedFormat(request, rules);
  const { prompt, lost } = promptWithin(carries.prompt === 'exact' ? request.prompt : null, transcription);
  const members = withOptions(
    {
      model: target.upstreamModel,
      language: kind === 'translation' || carries.language !== 'exact' ? null : language,
      'languages[]': carries.languages === 'exact' ? listOrNull(languages) : null,
      prompt,
      'keywords[]': carries.keywords === 'exact' ? listOrNull(request.keywords) : null,
      response_format: format,
      temperature: carries.temperature === 'exact' ? request.temperature : null,
      'timestamp_granularities[]': format === 'verbose_json' && rules.hasWords ? listOrNull(granularities) : null,
      'include[]': request.logprobs ? ['logprobs'] : null,
      stream: isStreamed ? true : null,
      ...(carries.chunking === 'exact' ? chunkingParts(chunking) : {}),
      'known_speaker_names[]': listOrNull(request.speakerNames),
      'known_speaker_references[]': listOrNull(request.speakerReferences),
    },
    request,
  );
  if (members instanceof Failure) return members;
  const { members: names = NO_MEMBERS } = target;
  const parts: FormPart[] = textParts(members).map(([name, value]) => ({ name: ownName(names, name), value }));
  for (const [name, values] of isStrict ? NO_OTHERS : request.others) {
    if (Object.hasOwn(members, name) || entryOf(names, name) === null) continue;
    for (const value of values) parts.push({ name, value });
  }
  parts.push({ name: 'file', file: request.file, mediaType: request.mediaType, fileName: fileNameOf(request) });
  const { body, headers } = encodeForm(parts);
  return {
    body,
    headers: isStreamed ? { ...headers, accept: 'text/event-stream' } : headers,
    losses: [...losses, ...lost],
  };
}

/** Returns the end of a prompt that is too long for the provider: Whisper itself reads only the last 224 tokens. */
function promptWithin(
  prompt: string | null,
  { longestPrompt }: TranscriptionTraits,
): { readonly prompt: string | null; readonly lost: readonly Loss[] } {
  if (prompt === null || longestPrompt === undefined || prompt.length <= longestPrompt) return { prompt, lost: [] };
  const characters = [...prompt];
  if (characters.length <= longestPrompt) return { prompt, lost: [] };
  const why = `the provider accepts ${longestPrompt} characters; the last ones are sent`;
  return {
    prompt: characters.slice(-longestPrompt).join(''),
    lost: [{ field: 'prompt', verdict: 'approximated', why }],
  };
}

/** Returns the provider's own name, which may lack brackets that the wire's name has. */
function ownName(names: OwnMembers, name: string): string {
  return entryOf(names, name.replace(/\[\]$/, '')) ?? name;
}

function listOrNull(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list;
}

/** Returns an object as one part per member, as OpenAI's SDKs send it. */
function chunkingParts(chunking: 'auto' | VoiceDetection | null): Readonly<Record<string, unknown>> {
  if (chunking === null || chunking === 'auto') return { chunking_strategy: chunking };
  const { prefixPaddingMs, silenceDurationMs, threshold } = chunking;
  return {
    'chunking_strategy[type]': 'server_vad',
    'chunking_strategy[prefix_padding_ms]': prefixPaddingMs,
    'chunking_strategy[silence_duration_ms]': silenceDurationMs,
    'chunking_strategy[threshold]': threshold,
  };
}
