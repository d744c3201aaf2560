import type { Effort } from '../../../domain/exchange/request.ts';

/** The format's name in registries. It also marks raw values that only this format can read. */
export const FORMAT = 'bedrock-converse';

/* How each vendor's models are asked for features without a field in the Converse API, and the names of media formats. */

/** How thinking is switched on for a vendor's models, below `additionalModelRequestFields`. */
type ThinkingDialect =
  /** `thinking: {type: enabled, budget_tokens}`: Claude 3.7 to 4.5. */
  | 'claude-budget'
  /** `thinking: {type: adaptive}` and `output_config.effort`: Claude 4.6 and later; from 4.7 on a budget is a 400. */
  | 'claude-adaptive'
  /** `reasoningConfig: {type, maxReasoningEffort}`: Nova 2. */
  | 'nova'
  /** `reasoning_effort`: gpt-oss, Kimi. */
  | 'effort'
  /** `reasoning: {effort}`: the GPT models, which refuse the flat field. */
  | 'nested-effort'
  | 'none';

/** A vendor's models, and the features that need vendor-specific fields. */
export interface ModelDialect {
  readonly models: RegExp;
  /** The path of `top_k` below `additionalModelRequestFields`; `null` if the models have no such field. */
  readonly topK: readonly string[] | null;
  readonly thinking: ThinkingDialect;
  /** The efforts that the models accept, in rising order. */
  readonly efforts: readonly Effort[];
  /** The output limit of a model not made by Anthropic, if the API refuses a higher one. */
  readonly maxOutputTokens: number | null;
  /** Whether the model continues an answer that the last message has begun. */
  readonly prefill: boolean;
  /** Whether Anthropic's own `tool_choice` and `stop_sequence` can be reached through the additional fields. */
  readonly isClaude: boolean;
}

const TOP_K = ['top_k'];
const THREE_EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];
const FIVE_EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const NO_EFFORTS: readonly Effort[] = [];

function dialect(models: RegExp, rest: Partial<Omit<ModelDialect, 'models'>>): ModelDialect {
  const plain = { topK: null, thinking: 'none', efforts: NO_EFFORTS, maxOutputTokens: null } as const;
  return { models, ...plain, prefill: false, isClaude: false, ...rest };
}

function claude(models: RegExp, thinking: ThinkingDialect, efforts: readonly Effort[], prefill = false): ModelDialect {
  return dialect(models, { topK: TOP_K, thinking, efforts, prefill, isClaude: true });
}

/**
 * The first match applies. The ARN of an application inference profile does not show its model, so only the API's own fields
 * are sent there. Sources: Bedrock user guide, "Inference request parameters and response fields for foundation models";
 * Nova user guide, "Extended thinking" and "Complete request schema"; answers of the service as quoted in public bug reports.
 */
const DIALECTS: readonly ModelDialect[] = [
  claude(/claude-(?:3-7-|(?:opus|sonnet|haiku)-4-(?:20\d{6}|[015](?!\d)))/, 'claude-budget', NO_EFFORTS, true),
  claude(/claude-(?:3|v2|instant)/, 'none', NO_EFFORTS, true),
  claude(/claude-(?:opus|sonnet)-4-6/, 'claude-adaptive', ['low', 'medium', 'high', 'max']),
  claude(/claude-/, 'claude-adaptive', FIVE_EFFORTS),
  dialect(/amazon\.nova-2/, { topK: ['inferenceConfig', 'topK'], thinking: 'nova', efforts: THREE_EFFORTS }),
  dialect(/amazon\.nova-(?:micro|lite|pro)(?!\w)/, { topK: ['inferenceConfig', 'topK'], maxOutputTokens: 10_000 }),
  dialect(/amazon\.nova/, { topK: ['inferenceConfig', 'topK'] }),
  dialect(/openai\.gpt-oss/, { thinking: 'effort', efforts: THREE_EFFORTS }),
  dialect(/openai\./, { thinking: 'nested-effort', efforts: ['none', ...FIVE_EFFORTS] }),
  dialect(/moonshot/, { thinking: 'effort', efforts: ['low', 'high', 'max'] }),
  dialect(/mistral/, { topK: TOP_K }),
  dialect(/cohere/, { topK: ['k'] }),
];

const NO_DIALECT = dialect(/^/, {});

export function dialectOf(model: string): ModelDialect {
  return DIALECTS.find(({ models }) => models.test(model)) ?? NO_DIALECT;
}

/** The `format` of each kind of media by media type (API reference: ImageBlock, DocumentBlock, AudioBlock, VideoBlock). */
export const MEDIA_FORMATS: Readonly<
  Record<'image' | 'document' | 'audio' | 'video', Readonly<Record<string, string>>>
> = {
  image: { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/jpg': 'jpeg', 'image/gif': 'gif', 'image/webp': 'webp' },
  document: {
    'application/pdf': 'pdf',
    'text/csv': 'csv',
    'application/msword': 'doc',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'text/html': 'html',
    'text/plain': 'txt',
    'text/markdown': 'md',
  },
  audio: {
    'audio/mpeg': 'mp3',
    'audio/mp3': 'mp3',
    'audio/opus': 'opus',
    'audio/wav': 'wav',
    'audio/x-wav': 'wav',
    'audio/wave': 'wav',
    'audio/aac': 'aac',
    'audio/flac': 'flac',
    'audio/mp4': 'mp4',
    'audio/ogg': 'ogg',
    'audio/x-matroska': 'mka',
    'audio/m4a': 'm4a',
    'audio/x-m4a': 'm4a',
    'audio/pcm': 'pcm',
    'audio/l16': 'pcm',
    'audio/webm': 'webm',
  },
  video: {
    'video/x-matroska': 'mkv',
    'video/quicktime': 'mov',
    'video/mov': 'mov',
    'video/mp4': 'mp4',
    'video/webm': 'webm',
    'video/x-flv': 'flv',
    'video/mpeg': 'mpeg',
    'video/mpg': 'mpg',
    'video/x-ms-wmv': 'wmv',
    'video/wmv': 'wmv',
    'video/3gpp': 'three_gp',
  },
};

/** Returns the media type of a `format` in an answer. */
export function mediaTypeOf(kind: keyof typeof MEDIA_FORMATS, format: string): string | null {
  return Object.entries(MEDIA_FORMATS[kind]).find(([, name]) => name === format)?.[0] ?? null;
}
