import type { ClientFormat } from '../readers/index.ts';
import { asArray, asObject } from '../shared/json.ts';
import type { Leaf } from './json-leaves.ts';
import type { ClientRequest } from './recorded-requests.ts';
import { upstreamModel } from './targets.ts';
import { asksToThink, isOff, measuresThinking, showsThoughts } from './thinking.ts';
import { isMidwayInstruction, turnsOf } from './turns.ts';
import type { UpstreamContent } from './upstream-content.ts';

export interface LeafContext {
  readonly leaf: Leaf;
  readonly request: ClientRequest;
  readonly upstream: UpstreamContent;
  /** What the losses name. */
  readonly fields: readonly string[];
}

/** A leaf that formats say in different words, so that its value alone cannot be looked for. */
export interface Equivalence {
  readonly name: string;
  /** Absent: all four. */
  readonly formats?: readonly ClientFormat[];
  /** The leaf's path, with `[]` for each index. */
  readonly place: RegExp;
  /** Only these values; all others are looked for as they are. */
  readonly values?: RegExp;
  readonly why: string;
  readonly holds: (context: LeafContext) => boolean;
}

/** Data of the client's own, in which no word belongs to the format. */
const OWN_DATA =
  /\.(?:parameters|input_schema|parametersJsonSchema|parameters_json_schema|schema|responseSchema|response_schema|responseJsonSchema|args|response|input|metadata|arguments)[.[]/;

export function isOwnData(path: string): boolean {
  return OWN_DATA.test(path);
}

const always = () => true;

/** Kinds of things that always have content beside them: a thing that vanished is found missing by its content. */
const KINDS = new RegExp(
  `^(?:${[
    ...['text', 'input_text', 'output_text', 'summary_text', 'message', 'refusal'],
    ...['image', 'image_url', 'input_image', 'input_audio', 'audio_url', 'video_url', 'input_file', 'file'],
    ...['document', 'document_url'],
    ...['base64', 'url', 'thinking', 'redacted_thinking', 'reasoning', 'reasoning\\.\\w+'],
    ...['function', 'custom', 'tool_use', 'tool_result', 'function_call', 'function_call_output'],
    ...['custom_tool_call', 'custom_tool_call_output', 'grammar'],
  ].join('|')})$`,
);

const THINKING =
  /^(?:reasoning_effort|reasoning\.(?:effort|max_tokens|enabled)|thinking\.(?:type|budget_tokens)|output_config\.effort)$|\.thinking_?config\.thinking_?(?:level|budget)$/i;
const SHOWN_THOUGHTS = /\.include_?thoughts$|^include_reasoning$|^reasoning\.exclude$|^reasoning\.summary$/i;

/** Judged by their rule and not by their value. */
export const STRUCTURE: readonly Equivalence[] = [
  {
    name: 'model',
    place: /^model$/,
    why: "The public id is exchanged for the channel's: the one change that every request undergoes.",
    holds: ({ request, upstream }) => {
      const model = upstreamModel(upstream.target, request.kind);
      return upstream.body.model === model || upstream.url.includes(model);
    },
  },
  {
    name: 'stream',
    place: /^stream$/,
    why: 'A member in some formats, the path in the others; false is the default.',
    holds: ({ leaf, upstream }) =>
      leaf.value === (upstream.body.stream === true || /stream/i.test(upstream.url.split('?')[0] ?? '')),
  },
  {
    name: 'usage in streams',
    formats: ['openai-chat'],
    place: /^stream_options\.include_usage$/,
    why: 'Every upstream is asked for its usage; whether the client sees it is decided in its answer.',
    holds: always,
  },
  {
    name: 'stored answers',
    formats: ['openai-responses'],
    place: /^store$/,
    why: 'The gateway stores responses itself, over any upstream.',
    holds: always,
  },
  {
    name: 'state in answers',
    formats: ['openai-responses'],
    place: /^include\[\]$/,
    values: /^reasoning\.encrypted_content$/,
    why: 'Whatever state an answer has is always given to the client.',
    holds: always,
  },
  {
    name: 'roles',
    place: /^(?:messages\[\]|input\[\]|contents\[\]|system_?[iI]nstruction)\.role$/,
    why: 'Each format has its own words; compared is who speaks when.',
    holds: ({ leaf, request, upstream }) => hasSameTurns(request, leaf.path, upstream),
  },
  {
    name: 'names beside results',
    place: /^messages\[\]\.name$|\.function_?[rR]esponse\.name$/,
    why: "Elsewhere a result has its call's id alone, and the name stands in the call. A participant's name is looked for.",
    holds: ({ leaf, request, upstream }) =>
      (!leaf.path.startsWith('messages') || isResult(request, leaf.path)) && upstream.hasText(String(leaf.value)),
  },
  {
    name: 'kinds',
    place: /(?:^|\.)type$/,
    values: KINDS,
    why: 'Each format names the kinds of blocks, items and tools in its own words; their content is looked for.',
    holds: always,
  },
  {
    name: 'tool choice',
    place:
      /^tool_choice(?:\.type|(?:\.allowed_tools)?\.mode)?$|^function_call$|^tool_?[cC]onfig\.function_?[cC]alling_?[cC]onfig\.mode$/,
    values: /^(?:auto|none|required|any|tool|function|custom|allowed_tools|validated)$/i,
    why: 'Four words in each format; automatic is the default of all, and one allowed tool that must be called is a named one.',
    holds: holdsToolChoice,
  },
  {
    name: 'parallel calls',
    place: /^parallel_tool_calls$|^tool_choice\.disable_parallel_tool_use$/,
    why: 'One format says yes, another says no; yes is the default of all.',
    holds: ({ leaf, upstream }) => {
      const isForbidden = leaf.value === leaf.key.startsWith('disable');
      return isForbidden === forbidsParallelCalls(upstream);
    },
  },
  {
    name: 'thinking',
    place: THINKING,
    why: 'Efforts, levels and budgets say the same in different units; off is also the absence of a budget.',
    holds: ({ leaf, upstream }) =>
      isOff(leaf.value) !== asksToThink(upstream) &&
      (leaf.key === 'type' || isOff(leaf.value) || measuresThinking(upstream)),
  },
  {
    name: 'shown thoughts',
    place: SHOWN_THOUGHTS,
    values: /^(?:true|false|auto)$/,
    why: "A flag, a kind of summary, or Anthropic's thinking itself, which is always shown.",
    holds: ({ leaf, upstream }) => (leaf.value !== (leaf.key === 'exclude')) === showsThoughts(upstream),
  },
  {
    name: 'log probabilities',
    place: /^logprobs$|\.response_?logprobs$|^include\[\]$/i,
    values: /^(?:true|message\.output_text\.logprobs)$/,
    why: 'Responses has them among the things to include.',
    holds: ({ upstream }) =>
      upstream.hasMember('logprobs', true) || upstream.hasMember('include', 'message.output_text.logprobs'),
  },
  {
    name: 'answer format',
    place:
      /(?:^response_format|^text\.format|^output_format|^output_config\.format)\.type$|\.response_?[mM]ime_?[tT]ype$/,
    why: 'A word, a media type, or a schema that is looked for by its content; text is the default.',
    holds: ({ leaf, upstream }) => !/json/.test(String(leaf.value)) || asksForJson(upstream),
  },
  {
    name: 'kinds of answer',
    place: /^modalities\[\]$|\.response_?[mM]odalities\[\]$/,
    why: 'The same words, in capitals or not; text alone is the default.',
    holds: ({ leaf, upstream }) =>
      upstream.hasMember('modalities', leaf.value) || upstream.hasMember('responseModalities', leaf.value),
  },
  {
    name: 'service tier',
    place: /^service_tier$/,
    values: /^(?:auto|default|standard_only|priority)$/,
    why: "Anthropic's `auto` is OpenAI's `priority` where the account has it, `standard_only` its `default`.",
    holds: ({ leaf, upstream }) =>
      (SERVICE_TIERS[String(leaf.value)] ?? []).some((tier) =>
        JSON.stringify([upstream.body.service_tier, upstream.body.serviceTier]).includes(`"${tier}"`),
      ),
  },
  {
    name: 'web search',
    place: /^tools\[\]\.(?:type|name)$/,
    values: /^web_search/,
    why: 'Run by the provider itself under a name of its own.',
    holds: ({ upstream }) =>
      /"(?:googleSearch|web_search\w*)"/.test(JSON.stringify([upstream.body.tools, upstream.body.web_search_options])),
  },
  {
    name: 'failed results',
    formats: ['anthropic-messages'],
    place: /\.is_error$/,
    values: /^true$/,
    why: 'Converse has a status.',
    holds: ({ upstream }) => upstream.hasMember('is_error', true) || upstream.hasMember('status', 'error'),
  },
  {
    name: 'media types',
    place: /(?:mime_?[tT]ype|media_type|input_audio\.format)$/,
    why: "A media type, a data URI's head, or the bare name of a file's format.",
    holds: ({ leaf, upstream }) => hasMediaType(String(leaf.value), upstream),
  },
  {
    name: 'cache marks',
    place: /cache_control\.type$/,
    values: /^ephemeral$/,
    why: 'Converse marks the same place with a `cachePoint`.',
    holds: ({ upstream }) => JSON.stringify(upstream.body).includes('"cachePoint"'),
  },
];

/** A whole tool that is rightly left out, its schema included: nothing of it is looked for. */
export const LEFT_OUT: Equivalence = {
  name: 'tools that may not be called',
  place: /^tools\[\]\./,
  why: 'Where a choice among tools can only be said by leaving the others out, that is reported as the choice.',
  holds: ({ leaf, request, fields }) =>
    fields.some((field) => /^tool_?(?:choice|config)/i.test(field)) && mayNotBeCalled(request, leaf.path),
};

/** Values that say what holds anyway, so that they may be left out. */
export const DEFAULTS: readonly Equivalence[] = [
  {
    name: 'flags that are off',
    place: /\.thought$|\.is_error$|^logprobs$|\.strict$|^background$/,
    values: /^false$/,
    why: 'Off is the default of each.',
    holds: always,
  },
  {
    name: 'one answer',
    place: /^n$|\.candidate_?[cC]ount$/,
    values: /^1$/,
    why: 'One answer is the default of all formats, and all that most can give.',
    holds: always,
  },
  {
    name: 'penalties of zero',
    place: /(?:presence|frequency)_?[pP]enalty$/,
    values: /^0$/,
    why: 'Zero is no penalty.',
    holds: always,
  },
  {
    name: 'sampling of one',
    place: /(?:^|\.)(?:temperature|top_?[pP])$/,
    values: /^1$/,
    why: 'One is the documented default of OpenAI and of Anthropic (not of the others).',
    holds: ({ upstream }) => ['openai-chat', 'openai-responses', 'anthropic-messages'].includes(upstream.target),
  },
  {
    name: 'details left to the model',
    place: /\.detail$/,
    values: /^auto$/,
    why: 'The default.',
    holds: always,
  },
  {
    name: 'strict schemas of answers',
    place: /^(?:response_format\.json_schema|text\.format)\.strict$/,
    values: /^true$/,
    why: "Anthropic's, Google's and Cohere's schemas of answers are always kept to.",
    holds: ({ upstream }) =>
      ['anthropic-messages', 'gemini', 'bedrock-converse', 'cohere-chat'].includes(upstream.target),
  },
  {
    name: 'thinking as the model likes',
    place: /^thinking\.type$/,
    values: /^(?:adaptive|enabled)$/,
    why: 'Elsewhere than at Anthropic, a model that thinks decides how much unless it is told, so that nothing has to be said.',
    holds: ({ request, upstream }) =>
      request.kind === 'thinking' && ['openai-chat', 'openai-responses', 'gemini'].includes(upstream.target),
  },
  {
    name: 'places of calls',
    formats: ['openai-chat'],
    place: /\.tool_calls\[\]\.index$/,
    why: 'A number that streams need; in a request the order of the list counts.',
    holds: always,
  },
  {
    name: 'empty arguments',
    place: /\.arguments$/,
    values: /^\s*(?:\{\s*\}|null)\s*$/,
    why: 'A call without arguments, which has an empty object elsewhere; the call itself is found by its name.',
    holds: always,
  },
  {
    name: 'completed items',
    formats: ['openai-responses'],
    place: /^input\[\]\.status$/,
    values: /^completed$/,
    why: 'What a client sends back is completed.',
    holds: always,
  },
  {
    name: 'direct callers',
    formats: ['anthropic-messages'],
    place: /\.caller\.type$/,
    values: /^direct$/,
    why: 'The model itself has called, as always where no code can.',
    holds: always,
  },
  {
    name: 'types of fetched files',
    formats: ['gemini'],
    place: /\.file_?[dD]ata\.mime_?[tT]ype$/,
    why: 'Who fetches a URL is told the type with the file.',
    holds: always,
  },
  {
    name: 'ids in a form of their own',
    place: /(?:tool_calls\[\]|content\[\]|function_?[cC]all|function_?[rR]esponse)\.(?:id|tool_use_id)$|call_id$/,
    values: /[^a-zA-Z0-9_-]|^.{65,}$/,
    why: 'Where an API takes no such ids others stand for them, the same in a call and in its result.',
    holds: always,
  },
  {
    name: 'types of text',
    place: /(?:mime_?type|media_type)$/i,
    values: /^text\/plain$/,
    why: 'Text that arrives as text says by itself what it is.',
    holds: always,
  },
  {
    name: 'types of schemas',
    formats: ['gemini', 'openai-chat'],
    place: /\.response_?mime_?type$|^response_format\.type$/i,
    values: /^(?:application\/json|json_schema)$/,
    why: 'It only qualifies the schema: where that is reported, this goes with it.',
    holds: ({ fields }) => fields.some((field) => /(?:\.response_?(?:json_?)?|\.json_)schema$/i.test(field)),
  },
  {
    name: 'file names',
    place: /(?:file_?name|document_name)$/,
    why: 'Converse has the name and its ending apart, the ending as the format.',
    holds: ({ leaf, upstream }) => {
      const [, stem = '', ending = ''] = /^(.*)\.(\w+)$/.exec(String(leaf.value)) ?? [];
      return upstream.hasMember('name', stem) && upstream.hasMember('format', ending);
    },
  },
  {
    name: 'cited documents',
    formats: ['anthropic-messages'],
    place: /\.citations\.enabled$/,
    values: /^true$/,
    why: 'Cohere cites all documents unless it is told not to.',
    holds: ({ upstream }) => upstream.target === 'cohere-chat' && Array.isArray(upstream.body.documents),
  },
  {
    name: 'how many log probabilities',
    place: /^top_logprobs$|^generation_?config\.logprobs$|^include\[\]$/i,
    values: /^(?:\d+|message\.output_text\.logprobs)$/,
    why: 'Flag and number qualify each other: where one is reported, the other goes with it.',
    holds: ({ fields }) => fields.some((field) => /^(?:top_)?logprobs$|\.response_?logprobs$/i.test(field)),
  },
  {
    name: 'showing what is not thought',
    place: SHOWN_THOUGHTS,
    why: 'Where thinking itself is reported as left out, there is nothing to show.',
    holds: ({ leaf, fields, upstream }) =>
      !asksToThink(upstream) && fields.some((field) => THINKING.test(field) || leaf.path.startsWith(`${field}.`)),
  },
];

const SERVICE_TIERS: Readonly<Record<string, readonly string[]>> = {
  auto: ['auto'],
  priority: ['priority', 'auto'],
  default: ['default', 'standard_only', 'standard'],
  standard_only: ['standard_only', 'default'],
};

function holdsToolChoice({ leaf, upstream }: LeafContext): boolean {
  const { body } = upstream;
  const choice = JSON.stringify([
    body.tool_choice,
    asObject(asObject(body.toolConfig).functionCallingConfig).mode,
    asObject(body.toolConfig).toolChoice,
  ]).toLowerCase();
  switch (String(leaf.value).toLowerCase()) {
    case 'auto':
      return !/"(?:none|required|any)"/.test(choice);
    case 'none':
      return choice.includes('"none"') || (body.tools === undefined && body.toolConfig === undefined);
    case 'required':
    case 'any':
      return /"(?:required|any|name)"/.test(choice);
    default:
      // Which tool it is stands beside.
      return choice !== '[null,null,null]';
  }
}

function forbidsParallelCalls({ body }: UpstreamContent): boolean {
  return body.parallel_tool_calls === false || JSON.stringify(body).includes('"disable_parallel_tool_use":true');
}

function asksForJson({ body }: UpstreamContent): boolean {
  const generation = asObject(body.generationConfig);
  const formats = [
    body.response_format,
    body.output_format,
    asObject(body.output_config).format,
    asObject(body.text).format,
  ];
  return (
    generation.responseMimeType === 'application/json' ||
    [...formats, body.outputConfig].some((format) => JSON.stringify(format)?.includes('json'))
  );
}

function hasMediaType(mediaType: string, upstream: UpstreamContent): boolean {
  const name = (mediaType.split('/').at(-1) ?? mediaType).replace(/^x-/, '');
  const names = SAME_MEDIA.find((same) => same.includes(name)) ?? [name];
  return names.some(
    (one) =>
      upstream.hasMember('format', one) ||
      upstream.hasText(mediaType) ||
      ['audio', 'image', 'video', 'application', 'text'].some((kind) => upstream.hasText(`${kind}/${one}`)) ||
      upstream.hasText(`data:${mediaType};base64`),
  );
}

const SAME_MEDIA: readonly (readonly string[])[] = [
  ['mp3', 'mpeg'],
  ['jpg', 'jpeg'],
  ['txt', 'plain', 'text'],
];

/**
 * Whether the same sides speak in the same order. Instructions in the middle of a conversation may become words of the user, but
 * then their own role counts as lost.
 */
function hasSameTurns({ format, body }: ClientRequest, path: string, upstream: UpstreamContent): boolean {
  const sent = turnsOf(upstream.target, upstream.body, 'none').join();
  if (sent === turnsOf(format, body, 'none').join()) return true;
  return sent === turnsOf(format, body, 'user').join() && !isMidwayInstruction(format, body, path);
}

/** Whether a chat message is the result of a tool. */
function isResult({ body }: ClientRequest, path: string): boolean {
  const index = Number(/\[(\d+)\]/.exec(path)?.[1]);
  return ['tool', 'function'].includes(String(asObject(asArray(body.messages)[index]).role));
}

/** Whether the choice names some tools, and not the one at the path. */
function mayNotBeCalled({ body }: ClientRequest, path: string): boolean {
  const choice = asObject(body.tool_choice);
  const allowed = asArray(choice.tools ?? asObject(choice.allowed_tools).tools).map(nameOf);
  const tool = asArray(body.tools)[Number(/\[(\d+)\]/.exec(path)?.[1])];
  return allowed.length > 0 && !allowed.includes(nameOf(tool));
}

function nameOf(tool: unknown): unknown {
  const { name, function: called } = asObject(tool);
  return name ?? asObject(called).name;
}
