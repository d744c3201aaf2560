import {
  GRANULARITIES,
  TRANSCRIPT_FORMATS,
  type TranscriptFormat,
  type TranscriptionRequest,
  type VoiceDetection,
} from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  type FormRules,
  MOST_AUDIO_BYTES,
  type UploadedFile,
  type UploadedForm,
} from '../../../domain/media/uploaded-file.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { FormFields, missing, wrong } from '../../shared/request/form-fields.ts';

const LONGEST_MODEL = 256;
const MOST_SPEAKERS = 4;
/** OpenAI's document limits neither; these limits bound the URL for providers that read them from one. */
const MOST_LANGUAGES = 100;
const MOST_KEYWORDS = 1_000;

/**
 * Members in which other APIs accept an address instead of a file. The gateway could not determine the length of such a
 * recording.
 */
const ADDRESSES = ['url', 'file_url', 'file_id', 'source_url', 'cloud_storage_url', 'audio_url'];

const VOICE_DETECTION = ['type', 'prefix_padding_ms', 'silence_duration_ms', 'threshold'];

export const FORM_RULES: FormRules = {
  files: { file: { maxBytes: MOST_AUDIO_BYTES, maxCount: 1 } },
  lists: [
    'timestamp_granularities',
    'include',
    'languages',
    'keywords',
    'known_speaker_names',
    'known_speaker_references',
  ],
  texts: [
    ...['model', 'language', 'prompt', 'response_format', 'temperature', 'stream', 'provider_options'],
    ...['chunking_strategy', ...VOICE_DETECTION.map(voiceDetectionPart)],
    ...ADDRESSES,
  ],
};

/** A language code with subtags (RFC 5646). */
const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*$/i;
const DATA_URI = /^data:[^,]{0,200};base64,[a-z0-9+/]+={0,2}$/i;

/** A form as the client sent it. The file has not been examined yet. */
export interface ParsedForm {
  readonly file: UploadedFile;
  /** `null` if the client named no model, which only translations may omit. */
  readonly model: string | null;
  readonly asked: Omit<TranscriptionRequest, 'file' | 'mediaType' | 'durationMs' | 'model'>;
}

/**
 * Reads and checks a client's form (OpenAI's published document, `CreateTranscriptionRequest`; contract, POST
 * /v1/audio/translations). A translation accepts the same parts as a transcription, and ignores `language`.
 */
export function parseForm(form: UploadedForm, kind: TranscriptionRequest['kind']): ParsedForm | Failure {
  const fields = new FormFields(form.fields);
  const address = ADDRESSES.find((name) => fields.has(name));
  if (address !== undefined) return noAddress(address);
  const [file] = form.files.get('file') ?? [];
  if (file === undefined) return noFile(fields);
  if (file.size === 0) return wrong('invalid_value', 'file', 'is empty; send a recording');
  const model = modelOf(fields, kind);
  if (model instanceof Failure) return model;
  const format = formatOf(fields, kind);
  if (format instanceof Failure) return format;
  const wanted = wantedOf(fields, format);
  if (wanted instanceof Failure) return wanted;
  const hints = hintsOf(fields, kind);
  if (hints instanceof Failure) return hints;
  const speakers = speakersOf(fields);
  if (speakers instanceof Failure) return speakers;
  const chunking = chunkingOf(fields);
  if (chunking instanceof Failure) return chunking;
  const options = optionsOf(fields);
  if (options instanceof Failure) return options;
  const asked = { kind, format, ...wanted, ...hints, ...speakers, chunking, options, others: fields.others() };
  return { file, model, asked };
}

function noAddress(param: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`${param}\` names a recording elsewhere, but recordings are accepted only in the part \`file\`.`,
    param,
    hint: 'Send the recording as the part `file`.',
  });
}

function noFile(fields: FormFields): Failure {
  if (fields.has('file')) return wrong('invalid_type', 'file', 'must be a file: a part with a file name');
  return missing('file', 'the recording, as a part with a file name');
}

function modelOf(fields: FormFields, kind: TranscriptionRequest['kind']): string | null | Failure {
  const model = fields.text('model');
  if (model === null) {
    if (kind === 'translation') return null;
    return missing('model', 'a model id from `GET /v1/models?category=stt`');
  }
  if (model.length <= LONGEST_MODEL) return model;
  return wrong('invalid_value', 'model', `must be a model id of 1 to ${LONGEST_MODEL} characters`);
}

function formatOf(fields: FormFields, kind: TranscriptionRequest['kind']): TranscriptFormat | Failure {
  const formats = TRANSCRIPT_FORMATS.filter((format) => kind === 'transcription' || format !== 'diarized_json');
  return fields.oneOf('response_format', formats) ?? 'json';
}

/** Reads the parts about the answer's contents and form. */
function wantedOf(
  fields: FormFields,
  format: TranscriptFormat,
): Pick<TranscriptionRequest, 'granularities' | 'logprobs' | 'stream'> | Failure {
  const granularities = fields.listOf('timestamp_granularities', GRANULARITIES);
  if (granularities instanceof Failure) return granularities;
  if (granularities.length > 0 && format !== 'verbose_json') {
    const rule = 'has an effect only with `response_format: verbose_json`';
    return wrong('invalid_value', 'timestamp_granularities', rule);
  }
  const include = fields.listOf('include', ['logprobs']);
  if (include instanceof Failure) return include;
  const logprobs = include.length > 0;
  if (logprobs && format !== 'json') {
    return wrong('invalid_value', 'include', 'has an effect only with `response_format: json`');
  }
  const stream = fields.switch('stream');
  if (stream instanceof Failure) return stream;
  if (stream && (format === 'srt' || format === 'vtt' || format === 'verbose_json')) {
    return wrong('invalid_value', 'stream', `sends events of plain text, so \`${format}\` is not possible`);
  }
  return { granularities, logprobs, stream };
}

/** Reads hints, which may help the model and change nothing else. */
function hintsOf(
  fields: FormFields,
  kind: TranscriptionRequest['kind'],
): Pick<TranscriptionRequest, 'language' | 'languages' | 'prompt' | 'keywords' | 'temperature'> | Failure {
  const language = fields.text('language');
  const languages = fields.list('languages');
  const isTranslation = kind === 'translation';
  if (!isTranslation) {
    // Some servers use this name for language detection, which is the default everywhere.
    if (language !== null && language !== 'auto' && !LANGUAGE.test(language)) return noLanguage('language');
    if (languages.length > MOST_LANGUAGES) return tooMany('languages', MOST_LANGUAGES);
    if (languages.some((code) => !LANGUAGE.test(code))) return noLanguage('languages');
  }
  const keywords = fields.list('keywords');
  if (keywords.length > MOST_KEYWORDS) return tooMany('keywords', MOST_KEYWORDS);
  const temperature = fields.number('temperature', 0, 1);
  if (temperature instanceof Failure) return temperature;
  return {
    language: isTranslation || language === 'auto' ? null : language,
    languages: isTranslation ? [] : languages,
    prompt: fields.text('prompt'),
    keywords,
    temperature,
  };
}

function noLanguage(param: string): Failure {
  return wrong('invalid_value', param, 'must be an ISO 639-1 code such as `en`');
}

function tooMany(name: string, most: number): Failure {
  return wrong('invalid_value', name, `may appear at most ${most} times`);
}

function speakersOf(fields: FormFields): Pick<TranscriptionRequest, 'speakerNames' | 'speakerReferences'> | Failure {
  const speakerNames = fields.list('known_speaker_names');
  const speakerReferences = fields.list('known_speaker_references');
  if (speakerNames.length > MOST_SPEAKERS) return tooMany('known_speaker_names', MOST_SPEAKERS);
  const param = 'known_speaker_references';
  if (speakerReferences.length !== speakerNames.length) {
    return wrong('invalid_value', param, 'must have one entry for each of `known_speaker_names`, in the same order');
  }
  if (speakerReferences.every((reference) => DATA_URI.test(reference))) return { speakerNames, speakerReferences };
  return wrong('invalid_value', param, 'must be recordings as data URIs (`data:audio/wav;base64,…`)');
}

/** Reads `auto`, an object as JSON, or an object with one part per member (`chunking_strategy[type]`), as SDKs send it. */
function chunkingOf(fields: FormFields): TranscriptionRequest['chunking'] | Failure {
  const text = fields.text('chunking_strategy');
  if (text === 'auto') return text;
  if (text === null) {
    const names = VOICE_DETECTION.map(voiceDetectionPart);
    return names.some((name) => fields.has(name)) ? voiceDetectionOf(fields) : null;
  }
  const object = parseObject(text);
  if (object === null) {
    return wrong('invalid_value', 'chunking_strategy', 'must be `auto`, or a JSON object with `type: server_vad`');
  }
  const unknown = Object.keys(object).find((name) => !VOICE_DETECTION.includes(name));
  if (unknown !== undefined) {
    return wrong('invalid_value', 'chunking_strategy', `may only have the fields ${VOICE_DETECTION.join(', ')}`);
  }
  const parts = Object.entries(object).filter(([, value]) => value !== null);
  return voiceDetectionOf(
    new FormFields(new Map(parts.map(([name, value]) => [voiceDetectionPart(name), [String(value)]]))),
  );
}

/** Returns the name of the part in which SDKs send a member of the object. */
function voiceDetectionPart(name: string): string {
  return `chunking_strategy[${name}]`;
}

function voiceDetectionOf(fields: FormFields): VoiceDetection | Failure {
  const type = fields.oneOf('chunking_strategy[type]', ['server_vad']);
  if (type instanceof Failure) return type;
  if (type === null) return missing('chunking_strategy[type]', 'it is `server_vad`');
  const prefixPaddingMs = fields.wholeNumber('chunking_strategy[prefix_padding_ms]');
  if (prefixPaddingMs instanceof Failure) return prefixPaddingMs;
  const silenceDurationMs = fields.wholeNumber('chunking_strategy[silence_duration_ms]');
  if (silenceDurationMs instanceof Failure) return silenceDurationMs;
  const threshold = fields.number('chunking_strategy[threshold]', 0, 1);
  return threshold instanceof Failure ? threshold : { prefixPaddingMs, silenceDurationMs, threshold };
}

function optionsOf(fields: FormFields): TranscriptionRequest['options'] | Failure {
  const text = fields.text('provider_options');
  if (text === null) return {};
  const options = parseObject(text);
  if (options === null) return wrong('invalid_type', 'provider_options', 'must be a JSON object');
  const address = ADDRESSES.find((name) => Object.hasOwn(options, name));
  return address === undefined ? options : noAddress(`provider_options.${address}`);
}
