import type { FieldNames } from '../../../domain/exchange/loss.ts';
import {
  EFFORTS,
  type Effort,
  type ExchangeRequest,
  emptyRequest,
  type ReasoningOptions,
  type ResponseFormat,
  type RestField,
} from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { snakeCase } from '../../shared/json/snake-case.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { GovernedNames } from '../../shared/request/governed-names.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import type { InboundCall, ParsedRequest } from '../client-request.ts';
import { enumName, ObjectReader, type WireObject } from './decoding.ts';
import { fields } from './fields.ts';
import { decodeContents, decodeSystem } from './messages.decode.ts';
import { FORMAT, validateRequest } from './schema.ts';
import { decodeToolChoice, decodeTools, schemaIn } from './tools.ts';

export const GOVERNED = new GovernedNames(fields, true);

/** Parses and validates a request against the published document (v1beta, GenerateContentRequest and CountTokensRequest). */
export function parseRequest(source: BodySource, call: InboundCall): ParsedRequest | Failure {
  const parsed = parseBody(source, '`contents`', GOVERNED);
  if (parsed instanceof Failure) return parsed;
  const { body } = parsed;
  const violation = validateRequest(body, call.purpose);
  if (violation) return violation;
  return {
    call,
    // The route states the model; the endpoint refuses a call without one.
    model: call.model ?? '',
    stream: call.stream === true,
    // Every chunk of this format reports usage.
    wantsStreamUsage: true,
    ...parsed,
  };
}

/**
 * This format's names for the features with a separate field. A client that writes snake_case gets its own spelling.
 */
const NAMES: FieldNames = {
  'max-output-tokens': 'generationConfig.maxOutputTokens',
  temperature: 'generationConfig.temperature',
  'top-p': 'generationConfig.topP',
  'top-k': 'generationConfig.topK',
  'frequency-penalty': 'generationConfig.frequencyPenalty',
  'presence-penalty': 'generationConfig.presencePenalty',
  seed: 'generationConfig.seed',
  stop: 'generationConfig.stopSequences',
  'candidate-count': 'generationConfig.candidateCount',
  logprobs: 'generationConfig.logprobs',
  'json-mode': 'generationConfig.responseMimeType',
  'json-schema': 'generationConfig.responseJsonSchema',
  'output-modalities': 'generationConfig.responseModalities',
  'reasoning-effort': 'generationConfig.thinkingConfig.thinkingLevel',
  'reasoning-budget': 'generationConfig.thinkingConfig.thinkingBudget',
  'reasoning-summary': 'generationConfig.thinkingConfig.includeThoughts',
  'system-prompt': 'systemInstruction',
  'function-tools': 'tools',
  'tool-choice': 'toolConfig.functionCallingConfig.mode',
  'tool-choice-required': 'toolConfig.functionCallingConfig.mode',
  'tool-choice-named': 'toolConfig.functionCallingConfig.allowedFunctionNames',
  'tool-choice-allowed': 'toolConfig.functionCallingConfig.allowedFunctionNames',
  metadata: 'labels',
};

/** Names as this client wrote them, collected while its fields are read. */
class Names {
  private readonly own: Partial<Record<keyof FieldNames, string>> = {};

  set(feature: keyof FieldNames, path: string): void {
    if (NAMES[feature] !== path) this.own[feature] = path;
  }

  get all(): FieldNames {
    return Object.keys(this.own).length === 0 ? NAMES : { ...NAMES, ...this.own };
  }
}

/** A count request may wrap a whole generate request in this member; then the wrapped request is decoded. */
export const WRAPPER = 'generateContentRequest';

/** Returns the name of the wrapper member in this body's spelling; `null` if it has none. */
export function wrapper(body: WireObject): string | null {
  return [WRAPPER, snakeCase(WRAPPER)].find((name) => isRecord(body[name])) ?? null;
}

export function decodeRequest(parsed: ParsedRequest): ExchangeRequest {
  return atOnce(decodeSteps(parsed));
}

export function* decodeSteps(parsed: ParsedRequest): Steps<ExchangeRequest> {
  const rest: RestField[] = [];
  const outer = new ObjectReader(parsed.body, '', rest);
  const wrapped = parsed.call.purpose === 'count-tokens' ? outer.object(WRAPPER) : null;
  const body = wrapped ?? outer;
  const names = new Names();
  // The path names the model; the body only repeats it.
  body.get('model');
  names.set('system-prompt', body.pathOf('systemInstruction'));
  names.set('function-tools', body.pathOf('tools'));
  const messages = [...decodeSystem(body), ...(yield* decodeContents(body))];
  const request: ExchangeRequest = {
    ...emptyRequest(FORMAT, NAMES),
    messages,
    tools: decodeTools(body),
    toolChoice: toolChoiceOf(body, names),
    ...decodeConfig(body, names),
    rest,
  };
  keepTopLevel(body);
  if (wrapped !== null) outer.finish();
  return { ...request, names: names.all };
}

function toolChoiceOf(body: ObjectReader, names: Names): ExchangeRequest['toolChoice'] {
  const calling = body.object('toolConfig')?.object('functionCallingConfig');
  if (calling) {
    names.set('tool-choice', calling.pathOf('mode'));
    names.set('tool-choice-required', calling.pathOf('mode'));
    names.set('tool-choice-named', calling.pathOf('allowedFunctionNames'));
    names.set('tool-choice-allowed', calling.pathOf('allowedFunctionNames'));
  }
  return decodeToolChoice(body);
}

const CACHED = 'the cached content is stored at Google, so another provider would miss part of the prompt';
const SAFETY = 'other providers have no such settings; their own filters apply';
const LABELS = 'labels are for billing reports at Google';

function keepTopLevel(body: ObjectReader): void {
  body.keepForGemini('cachedContent', 'refused', CACHED);
  body.keepForGemini('safetySettings', 'dropped', SAFETY);
  body.keepForGemini('labels', 'dropped', LABELS);
  // The gateway itself serves it.
  body.get('session_id');
  body.finish();
}

type Config = Pick<
  ExchangeRequest,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'seed'
  | 'stop'
  | 'candidateCount'
  | 'logprobs'
  | 'responseFormat'
  | 'reasoning'
  | 'modalities'
>;

const ONLY_GEMINI = 'only Gemini supports this';
const SPEECH = 'it selects a voice that other formats do not have';
const PICTURE = 'it sets the size of the image, which no other format can do';

function decodeConfig(body: ObjectReader, names: Names): Partial<Config> {
  const config = body.object('generationConfig');
  if (config === null) return {};
  const number = (feature: keyof FieldNames, name: string) => {
    names.set(feature, config.pathOf(name));
    return config.number(name);
  };
  names.set('stop', config.pathOf('stopSequences'));
  names.set('output-modalities', config.pathOf('responseModalities'));
  const decoded: Config = {
    maxOutputTokens: number('max-output-tokens', 'maxOutputTokens'),
    temperature: number('temperature', 'temperature'),
    topP: number('top-p', 'topP'),
    topK: number('top-k', 'topK'),
    frequencyPenalty: number('frequency-penalty', 'frequencyPenalty'),
    presencePenalty: number('presence-penalty', 'presencePenalty'),
    seed: number('seed', 'seed'),
    stop: config.list('stopSequences').filter((text) => typeof text === 'string'),
    candidateCount: number('candidate-count', 'candidateCount'),
    logprobs: decodeLogprobs(config, names),
    responseFormat: decodeResponseFormat(config, names),
    reasoning: decodeThinking(config, names),
    modalities: decodeModalities(config),
  };
  config.keepForGemini('speechConfig', 'refused', SPEECH);
  config.keepForGemini('imageConfig', 'refused', PICTURE);
  config.keepForGemini('mediaResolution', 'dropped', ONLY_GEMINI);
  config.keepForGemini('enableEnhancedCivicAnswers', 'dropped', ONLY_GEMINI);
  config.finish();
  return decoded;
}

function decodeLogprobs(config: ObjectReader, names: Names): Config['logprobs'] {
  const wanted = config.get('responseLogprobs') === true;
  names.set('logprobs', config.pathOf(wanted ? 'responseLogprobs' : 'logprobs'));
  const top = config.number('logprobs');
  if (!wanted) {
    // The count has no effect by itself, and an upstream of this format reports that.
    config.keepForGemini('logprobs', 'dropped', 'it has no effect without responseLogprobs');
    return null;
  }
  return { top: top ?? 0 };
}

const TEXT_TYPE = 'other formats have no responses of this media type';

function decodeResponseFormat(config: ObjectReader, names: Names): ResponseFormat | null {
  const type = config.text('responseMimeType');
  const member = ['responseJsonSchema', '_responseJsonSchema', 'responseSchema'].find(
    (name) => config.get(name) !== undefined,
  );
  names.set('json-mode', config.pathOf('responseMimeType'));
  if (member !== undefined) {
    names.set('json-schema', config.pathOf(member));
    const isOwn = member === 'responseSchema';
    const schema = schemaIn(config, isOwn ? member : '', isOwn ? '' : member);
    if (schema !== null && type === 'text/x.enum') {
      config.keepForGemini('responseMimeType', 'approximated', 'the choice is requested as JSON text');
    }
    if (schema !== null) return { type: 'json-schema', schema, name: null, description: null, strict: null };
  }
  if (type === 'application/json') return { type: 'json' };
  if (type === 'text/plain') return { type: 'text' };
  config.keepForGemini('responseMimeType', 'refused', TEXT_TYPE);
  return null;
}

/** ThinkingLevel in the order of its numbers. */
const LEVELS = ['THINKING_LEVEL_UNSPECIFIED', 'LOW', 'HIGH', 'MEDIUM', 'MINIMAL'];
/** The API's value for dynamic thinking: the model chooses the amount. */
const DYNAMIC = -1;

function decodeThinking(config: ObjectReader, names: Names): ReasoningOptions | null {
  const thinking = config.object('thinkingConfig');
  if (thinking === null) return null;
  names.set('reasoning-effort', saidPath(config, thinking, ['thinkingLevel', 'thinkingBudget']));
  names.set('reasoning-budget', saidPath(config, thinking, ['thinkingBudget', 'thinkingLevel']));
  names.set('reasoning-summary', thinking.pathOf('includeThoughts'));
  const level = enumName(thinking.get('thinkingLevel'), LEVELS)?.toLowerCase();
  const budget = thinking.number('thinkingBudget');
  const shown = thinking.get('includeThoughts');
  thinking.finish();
  return {
    enabled: budget === 0 ? false : null,
    effort: EFFORTS.find((effort: Effort) => effort === level) ?? null,
    budgetTokens: budget === DYNAMIC ? null : budget,
    adaptive: budget === DYNAMIC,
    summary: shown === undefined ? null : shown === true ? 'auto' : 'none',
  };
}

/** Returns the path of the first of these members that the client wrote; the path of the whole object if it wrote none. */
function saidPath(config: ObjectReader, thinking: ObjectReader, members: readonly string[]): string {
  const said = members.find((member) => thinking.get(member) !== undefined);
  return said === undefined ? config.pathOf('thinkingConfig') : thinking.pathOf(said);
}

/** Modality of an answer in the order of its numbers. */
const MODALITIES = ['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO', 'VIDEO'];

function decodeModalities(config: ObjectReader): readonly string[] | null {
  const names = config.list('responseModalities').flatMap((value) => enumName(value, MODALITIES) ?? []);
  const said = names.filter((name) => name !== MODALITIES[0]);
  return said.length === 0 ? null : said.map((name) => name.toLowerCase());
}
