import { charactersOf, SPEECH_FORMATS, type SpeechFormat, type SpeechRequest } from '../../../domain/audio/speech.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { appendMember, applyEdits, removeMembers, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, scanObject } from '../../shared/json/json-scan.ts';
import { addMembers, isRecord } from '../../shared/json/record.ts';
import { mergeOptions } from '../../shared/media/image-request.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { type FoundNames, GovernedNames } from '../../shared/request/governed-names.ts';
import { missingField, modelOf, wrongField } from '../../shared/request/request-fields.ts';
import type { WireRequest } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { planSpeech, type SpeechPlan, unknownMembers } from '../shared/speech-request.ts';
import type { SpeechDialect, SpeechTarget } from '../wire.ts';

/** From OpenAI's published document, `CreateSpeechRequest`; the catalog may set a different limit for a model. */
export const LONGEST_INPUT = 4_096;
const LONGEST_INSTRUCTIONS = 4_096;
const SLOWEST = 0.25;
const FASTEST = 4;
const LONGEST_VOICE = 256;
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;

/** Members that the gateway reads. Each may occur only once, and only in its exact spelling. */
export const NAMES = new GovernedNames({
  model: true,
  input: true,
  voice: true,
  instructions: true,
  response_format: true,
  speed: true,
  stream_format: true,
  language: true,
  provider_options: true,
});

export interface ParsedSpeech {
  readonly request: SpeechRequest;
  readonly names: FoundNames;
}

/** Reads and checks a client's request, except for the length of `input`, which depends on the model. */
export function parseRequest(source: BodySource): ParsedSpeech | Failure {
  const parsed = parseBody(source, '`model` and `input`', NAMES);
  if (parsed instanceof Failure) return parsed;
  const { body, bytes, scan } = parsed;
  const model = modelOf(body.model, 'tts');
  if (model instanceof Failure) return model;
  const input = inputOf(body.input);
  if (input instanceof Failure) return input;
  const voice = voiceOf(body.voice);
  if (voice instanceof Failure) return voice;
  const instructions = instructionsOf(body.instructions);
  if (instructions instanceof Failure) return instructions;
  const format = formatOf(body.response_format);
  if (format instanceof Failure) return format;
  const speed = speedOf(body.speed);
  if (speed instanceof Failure) return speed;
  const delivery = deliveryOf(body.stream_format);
  if (delivery instanceof Failure) return delivery;
  const language = languageOf(body.language);
  if (language instanceof Failure) return language;
  const options = body.provider_options ?? {};
  if (!isRecord(options)) return wrongField('invalid_type', 'provider_options', 'must be an object');
  const request = { model, input, ...voice, instructions, format, speed, language, delivery, options, bytes, body };
  return { request, names: scan };
}

function inputOf(input: unknown): string | Failure {
  if (input === undefined || input === null) return missingField('input', 'the text to speak');
  if (typeof input !== 'string') return wrongField('invalid_type', 'input', 'must be a string');
  return input === '' ? wrongField('invalid_value', 'input', 'is empty; send the text to speak') : input;
}

function voiceOf(voice: unknown): Pick<SpeechRequest, 'voice' | 'isCustomVoice'> | Failure {
  if (voice === undefined || voice === null) return { voice: null, isCustomVoice: false };
  const isObject = isRecord(voice);
  const name = isObject ? voice.id : voice;
  const param = isObject ? 'voice.id' : 'voice';
  if (typeof name !== 'string') {
    return wrongField(
      'invalid_type',
      param,
      isObject ? 'must be a voice id as a string' : 'must be a name, or {"id": …}',
    );
  }
  if (name !== '' && name.length <= LONGEST_VOICE) return { voice: name, isCustomVoice: isObject };
  return wrongField('invalid_value', param, `must have 1 to ${LONGEST_VOICE} characters`);
}

function instructionsOf(instructions: unknown): string | null | Failure {
  if (instructions === undefined || instructions === null) return null;
  if (typeof instructions !== 'string') return wrongField('invalid_type', 'instructions', 'must be a string');
  const length = instructions.length <= LONGEST_INSTRUCTIONS ? 0 : charactersOf(instructions);
  if (length <= LONGEST_INSTRUCTIONS) return instructions === '' ? null : instructions;
  const rule = `has ${length} characters; the limit is ${LONGEST_INSTRUCTIONS}`;
  return wrongField('invalid_value', 'instructions', rule);
}

function formatOf(format: unknown): SpeechFormat | null | Failure {
  if (format === undefined || format === null) return null;
  const found = SPEECH_FORMATS.find((name) => name === format);
  if (found !== undefined) return found;
  const list = SPEECH_FORMATS.map((name) => `\`${name}\``).join(', ');
  return wrongField(
    typeof format === 'string' ? 'invalid_value' : 'invalid_type',
    'response_format',
    `must be one of ${list}`,
  );
}

function speedOf(speed: unknown): number | null | Failure {
  if (speed === undefined || speed === null) return null;
  const rule = `must be a number from ${SLOWEST} to ${FASTEST}`;
  if (typeof speed !== 'number') return wrongField('invalid_type', 'speed', rule);
  return speed >= SLOWEST && speed <= FASTEST ? speed : wrongField('invalid_value', 'speed', rule);
}

function deliveryOf(streamFormat: unknown): 'audio' | 'sse' | Failure {
  if (streamFormat === undefined || streamFormat === null) return 'audio';
  if (streamFormat === 'audio' || streamFormat === 'sse') return streamFormat;
  const code = typeof streamFormat === 'string' ? 'invalid_value' : 'invalid_type';
  return wrongField(code, 'stream_format', 'must be `audio` or `sse`');
}

function languageOf(language: unknown): string | null | Failure {
  if (language === undefined || language === null) return null;
  const rule = 'must be a language code such as `en` or `pt-BR`';
  if (typeof language !== 'string') return wrongField('invalid_type', 'language', rule);
  return LANGUAGE.test(language) ? language : wrongField('invalid_value', 'language', rule);
}

/** An unknown server gets the client's request unchanged. */
const ANY_SERVER: SpeechDialect = {
  formats: SPEECH_FORMATS,
  speed: [0.25, 4],
  instructions: true,
  language: true,
  hasVoiceObjects: true,
};

export function dialectOf(target: Pick<SpeechTarget, 'speech' | 'upstreamModel' | 'ruleModel'>): SpeechDialect {
  const { speech = [] } = target;
  const model = ruleModelOf(target);
  return speech.find(({ models }) => models === undefined || models.test(model)) ?? ANY_SERVER;
}

/** Returns the client's bytes with the upstream's model id, and with the provider's names where they differ. */
export function encodeRequest(request: SpeechRequest, target: SpeechTarget): WireRequest | Failure {
  const dialect = dialectOf(target);
  const plan = planSpeech(request, dialect);
  if (plan instanceof Failure) return plan;
  const { body } = request;
  const members: Record<string, unknown> = { ...membersOf(request, plan, dialect), model: target.upstreamModel };
  const problem = mergeOptions(members, request.options);
  if (problem !== null) return problem;
  const unknown: readonly Loss[] = dialect.isStrict === true ? unknownMembers(body) : [];
  const dropped = Object.fromEntries(unknown.map(({ field }) => [field, undefined]));
  return {
    body: rewritten(request, addMembers(dropped, members)),
    headers: { accept: '*/*' },
    losses: [...plan.losses, ...unknown],
  };
}

/** Returns the members that the body must have; those that are `undefined` must be absent. */
function membersOf({ body, input, isCustomVoice }: SpeechRequest, plan: SpeechPlan, dialect: SpeechDialect) {
  const { format, voice, speed, instructions, language } = plan;
  const { formatNames = {}, defaultFormat = 'mp3', formatMembers = {} } = dialect;
  const isSaid = format.isNamed || format.asked !== defaultFormat;
  return {
    ...formatMembers[format.asked],
    input,
    voice: isCustomVoice && dialect.hasVoiceObjects === true ? body.voice : (voice ?? undefined),
    response_format: isSaid ? (formatNames[format.asked] ?? format.asked) : undefined,
    speed: speed ?? undefined,
    instructions: instructions ?? undefined,
    language: language ?? undefined,
    // Only events report tokens, so they are always requested, and the gateway converts them to what the client wants.
    stream_format: dialect.hasEvents === true ? 'sse' : undefined,
    provider_options: undefined,
  };
}

/** Returns the client's bytes with other values for some members; equal values keep their bytes. */
function rewritten(
  { bytes, body }: Pick<SpeechRequest, 'bytes' | 'body'>,
  members: Readonly<Record<string, unknown>>,
): Uint8Array<ArrayBuffer> {
  const names = Object.keys(members);
  const isPresent = (name: string) => Object.hasOwn(body, name);
  const changed = names.filter(
    (name) => members[name] !== undefined && isPresent(name) && members[name] !== body[name],
  );
  let written = edited(bytes, changed, (object) =>
    object.members.map((member) => replaceValue(member, JSON.stringify(members[member.name]))),
  );
  const removed = names.filter((name) => members[name] === undefined && isPresent(name));
  written = edited(written, removed, (object) => removeMembers(written, object, object.members).edits);
  const added = names.filter((name) => members[name] !== undefined && !isPresent(name));
  if (added.length === 0) return written;
  const text = added.map((name) => `${JSON.stringify(name)}:${JSON.stringify(members[name])}`).join(',');
  return edited(written, ['model'], (object) => [appendMember(object, text)]);
}

type ScannedObject = NonNullable<ReturnType<typeof scanObject>>;

function edited(
  bytes: Uint8Array,
  names: readonly string[],
  edits: (object: ScannedObject) => Parameters<typeof applyEdits>[1],
): Uint8Array<ArrayBuffer> {
  const object = names.length === 0 ? null : scanObject(bytes, 0, new MemberNames(...names));
  return applyEdits(bytes, object === null ? [] : edits(object));
}
