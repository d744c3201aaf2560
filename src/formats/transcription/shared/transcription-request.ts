import { type TranscriptionRequest, wantsSegments, wantsWords } from '../../../domain/audio/transcription.ts';
import type { Carriage, Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { setMember } from '../../shared/json/record.ts';
import { type EncodedForm, encodeForm } from '../../shared/request/form-body.ts';
import { spellingsOf } from '../../shared/request/governed-names.ts';

/* Shared by transcription wires that write their own request. */

/** Hints that may help a model and change nothing else. */
const HINTS = ['language', 'languages', 'prompt', 'keywords', 'temperature', 'chunking'] as const;
export type TranscriptionHint = (typeof HINTS)[number];

/** The features that a wire supports. */
export interface TranscriptionRules {
  /** Whether the upstream can transcribe speech of other languages in English. */
  readonly translates: boolean;
  /** The supported hints; absent ones are dropped. */
  readonly carries: Readonly<Partial<Record<TranscriptionHint, Carriage>>>;
  /** Whether the upstream reports the times of words. */
  readonly hasWords: boolean;
  /** Whether the upstream reports the times of sentences, or of words from which sentences can be made. */
  readonly hasSegments: boolean;
  readonly diarizes: boolean;
  /** Whether the upstream recognizes speakers from sample recordings. */
  readonly knowsSpeakers: boolean;
  readonly hasLogprobs: boolean;
}

/** The rules of a provider that returns only a text. */
export const TEXT_ALONE: TranscriptionRules = {
  translates: false,
  carries: {},
  hasWords: false,
  hasSegments: false,
  diarizes: false,
  knowsSpeakers: false,
  hasLogprobs: false,
};

/** The client's names of the hints. */
const FIELDS: Readonly<Record<TranscriptionHint, string>> = {
  language: 'language',
  languages: 'languages',
  prompt: 'prompt',
  keywords: 'keywords',
  temperature: 'temperature',
  chunking: 'chunking_strategy',
};

const NO_MEMBER: Carriage = { verdict: 'dropped', why: 'the provider does not support this field' };

/**
 * Returns the losses of a request; a failure (400) if the wire cannot carry something that changes the meaning. Another
 * channel may carry it.
 */
export function lossesOf(request: TranscriptionRequest, rules: TranscriptionRules): readonly Loss[] | Failure {
  const refusal = refusalOf(request, rules);
  if (refusal !== null) return refusal;
  const losses: Loss[] = [];
  for (const hint of HINTS) {
    const value = request[hint];
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    const carriage = rules.carries[hint] ?? NO_MEMBER;
    if (carriage === 'exact') continue;
    const field = FIELDS[hint];
    if (carriage.verdict === 'refused') return refused(field, carriage.why);
    losses.push({ field, ...carriage });
  }
  if (wantsSegments(request) && !rules.hasSegments) {
    const why = 'the provider of this model returns no times, so one segment spans the whole recording';
    losses.push({ field: 'response_format', verdict: 'approximated', why });
  }
  return [...losses, ...unknownParts(request)];
}

/** Returns the parts that the gateway does not read, for a wire that cannot pass them on. */
function unknownParts({ others }: Pick<TranscriptionRequest, 'others'>): readonly Loss[] {
  const why = 'the field is unknown; send provider-specific fields in `provider_options`';
  return [...others.keys()].map((field) => ({ field, verdict: 'dropped', why }));
}

function refusalOf(request: TranscriptionRequest, rules: TranscriptionRules): Failure | null {
  if (request.kind === 'translation' && !rules.translates) {
    return refused('model', 'its provider transcribes speech but does not translate it');
  }
  if (wantsWords(request) && !rules.hasWords) {
    return refused('timestamp_granularities', 'the provider of this model does not return times of words');
  }
  if (request.granularities.includes('segment') && !rules.hasSegments) {
    return refused('timestamp_granularities', 'the provider of this model returns no times');
  }
  if (request.format === 'diarized_json' && !rules.diarizes) {
    return refused('response_format', 'the provider of this model does not distinguish speakers');
  }
  if (request.speakerNames.length > 0 && !rules.knowsSpeakers) {
    return refused('known_speaker_names', 'the provider of this model does not recognize speakers from recordings');
  }
  if (request.logprobs && !rules.hasLogprobs) {
    return refused('include', 'the provider of this model does not return log probabilities');
  }
  return null;
}

/** Returns a 400 for something that changes the meaning and cannot be carried. Another channel may be tried. */
export function refused(param: string, why: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`${param}\` cannot be sent: ${why}.`,
    param,
    kind: 'loss_refused',
    retry: 'other-target',
    hint: 'Leave it out, or use a model that supports it.',
  });
}

/** The `keywords` that a provider accepts. */
export interface TermRules {
  readonly isTaken: (term: string) => boolean;
  readonly most: number;
  /** Why other terms are lost, for the client. */
  readonly why: string;
}

/**
 * Returns the terms that a provider accepts, `null` if there are none, and the loss of the others, any of which would make it
 * refuse the request.
 */
export function termsFor(
  keywords: readonly string[],
  { isTaken, most, why }: TermRules,
): { readonly terms: readonly string[] | null; readonly lost: readonly Loss[] } {
  const terms = keywords.filter(isTaken).slice(0, most);
  const verdict = terms.length === 0 ? 'dropped' : 'approximated';
  return {
    terms: terms.length === 0 ? null : terms,
    lost: terms.length === keywords.length ? [] : [{ field: 'keywords', verdict, why }],
  };
}

/** Members that the gateway writes; `null` leaves one out. */
export type WrittenMembers = Readonly<Record<string, unknown>>;

/**
 * Returns the members with the client's `provider_options` added. Fails (400) for an option that would replace a member that the
 * gateway writes itself, in any spelling.
 */
export function withOptions(
  members: WrittenMembers,
  { options }: Pick<TranscriptionRequest, 'options'>,
): Readonly<Record<string, unknown>> | Failure {
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== null) setMember(all, name, value);
  const spelledAs = spellingsOf(Object.keys(members).map((name) => name.replace(/\[.*$/s, '')));
  for (const [name, value] of Object.entries(options)) {
    if (spelledAs(name.replace(/\[.*$/s, '')) !== undefined) return writtenByGateway(name);
    if (value !== null) setMember(all, name, value);
  }
  return all;
}

function writtenByGateway(name: string): Failure {
  return new Failure('invalid_value', {
    message: `\`provider_options.${name}\` names a field that the gateway sets from other fields of the request.`,
    param: `provider_options.${name}`,
    hint: 'Use those fields instead of this option.',
  });
}

/** Returns the parts of a form: a list becomes several of one name, and an object JSON. */
export function textParts(
  members: Readonly<Record<string, unknown>>,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(members).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item: unknown) => [name, partText(item)] as const),
  );
}

/** Returns the form of a request. The file comes last, because some providers do not read parts after it. */
export function formWithFile(
  members: Readonly<Record<string, unknown>>,
  request: Pick<TranscriptionRequest, 'file' | 'mediaType'>,
): EncodedForm {
  const { file, mediaType } = request;
  const parts = textParts(members).map(([name, value]) => ({ name, value }));
  return encodeForm([...parts, { name: 'file', file, mediaType, fileName: fileNameOf(request) }]);
}

/** Returns text unchanged, and any other value as JSON. */
export function partText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** File name extensions by media type, from which upstreams infer a recording's format. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'audio/flac': ['flac'],
  'audio/mpeg': ['mp3', 'mpeg', 'mpga'],
  'audio/mp4': ['m4a', 'mp4'],
  'video/mp4': ['mp4', 'm4a'],
  'video/mpeg': ['mpeg', 'mpga', 'mp3'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'video/ogg': ['ogg'],
  'audio/wav': ['wav'],
  'video/webm': ['webm'],
};

/** Returns the extension for a media type, such as `mp3`. */
export function extensionOf(mediaType: string): string {
  return EXTENSIONS[mediaType]?.[0] ?? 'wav';
}

/** Returns the file's name with an extension that fits its contents, because some upstreams rely on it alone. */
export function fileNameOf({ file, mediaType }: Pick<TranscriptionRequest, 'file' | 'mediaType'>): string {
  const known = EXTENSIONS[mediaType] ?? [];
  const own = /\.([a-z0-9]{1,5})$/i.exec(file.name)?.[1]?.toLowerCase();
  return own !== undefined && known.includes(own) ? file.name : `${file.name}.${extensionOf(mediaType)}`;
}
