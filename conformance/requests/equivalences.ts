import { asArray, asObject } from '../shared/json.ts';
import { always, type Equivalence, type LeafContext, SHOWN_THOUGHTS, SWITCHES, THINKING } from './default-values.ts';
import { covers, plainPath } from './json-leaves.ts';
import type { ClientRequest } from './recorded-requests.ts';
import { upstreamModel } from './targets.ts';
import { asksToThink, isOff, measuresThinking, showsThoughts } from './thinking.ts';
import { isMidwayInstruction, turnsOf } from './turns.ts';
import type { UpstreamContent } from './upstream-content.ts';

/** The client's own data, whose words have no meaning in the format. */
const OWN_DATA =
  /\.(?:parameters|input_schema|parametersJsonSchema|parameters_json_schema|schema|responseSchema|response_schema|responseJsonSchema|args|response|input|metadata|arguments)[.[]/;

export function isOwnData(path: string): boolean {
  return OWN_DATA.test(path);
}

/** Values of `type` that classify an item. An item always has content, by which a lost item is noticed. */
const KINDS = new RegExp(
  `^(?:${[
    ...['text', 'input_text', 'output_text', 'summary_text', 'message', 'refusal'],
    ...['image', 'image_url', 'input_image', 'input_audio', 'audio_url', 'video_url', 'input_file', 'file'],
    ...['document', 'document_url', 'file_url', 'input_video'],
    ...['base64', 'url', 'thinking', 'redacted_thinking', 'reasoning', 'reasoning\\.\\w+'],
    ...['function', 'custom', 'tool_use', 'tool_result', 'function_call', 'function_call_output'],
    ...['custom_tool_call', 'custom_tool_call_output', 'grammar'],
  ].join('|')})$`,
);

/** Members that are checked by a rule instead of by their value. */
export const STRUCTURE: readonly Equivalence[] = [
  {
    name: 'model',
    place: /^model$/,
    why: "The public id is replaced by the channel's in every request.",
    holds: ({ request, upstream }) => {
      const model = upstreamModel(upstream.target, request.kind);
      return upstream.body.model === model || upstream.url.includes(model);
    },
  },
  {
    name: 'stream',
    place: /^stream$/,
    why: 'A member in some formats, part of the path in others; false is the default.',
    holds: ({ leaf, upstream }) =>
      leaf.value === (upstream.body.stream === true || /stream/i.test(upstream.url.split('?')[0] ?? '')),
  },
  {
    name: 'usage in streams',
    formats: ['openai-chat'],
    place: /^stream_options\.include_usage$/,
    why: 'Every upstream is asked for usage; the gateway decides whether the client sees it.',
    holds: always,
  },
  {
    name: 'stored responses',
    formats: ['openai-responses'],
    place: /^store$/,
    why: 'The gateway stores responses itself, over any upstream.',
    holds: always,
  },
  {
    name: 'state in responses',
    formats: ['openai-responses'],
    place: /^include\[\]$/,
    values: /^reasoning\.encrypted_content$/,
    why: 'Clients always get the state of a response.',
    holds: always,
  },
  {
    name: 'roles',
    place: /^(?:messages\[\]|input\[\]|contents\[\]|system_?[iI]nstruction)\.role$/,
    why: 'Each format has its own roles; the order of the speakers is compared.',
    holds: hasSameTurns,
  },
  {
    name: 'names of results',
    place: /^messages\[\]\.name$|^input\[\]\.name$|\.function_?[rR]esponse\.name$/,
    why: "Elsewhere a result has only its call's id, and the call has the name. A participant's name must arrive.",
    holds: ({ leaf, request, upstream }) =>
      (!leaf.path.startsWith('messages') || isResult(request, leaf.path)) && upstream.hasText(String(leaf.value)),
  },
  {
    name: 'kinds',
    place: /(?:^|\.)type$/,
    values: KINDS,
    why: 'Each format has its own names for blocks, items and tools; their content must arrive.',
    holds: always,
  },
  {
    name: 'tool choice',
    place:
      /^tool_choice(?:\.type|(?:\.allowed_tools)?\.mode)?$|^function_call$|^tool_?[cC]onfig\.function_?[cC]alling_?[cC]onfig\.mode$/,
    values: /^(?:auto|none|required|any|tool|function|custom|allowed_tools|validated|[1-4])$/i,
    why: 'Each format has four words; automatic is the default of all, and a single allowed tool that must be called equals a named tool.',
    holds: holdsToolChoice,
  },
  {
    name: 'parallel calls',
    place: /^parallel_tool_calls$|^tool_choice\.disable_parallel_tool_use$/,
    why: 'Some formats allow them, others disable them; allowed is the default of all, and without calls the setting has no effect.',
    holds: ({ leaf, request, upstream }) => {
      if ((request.body.function_call ?? request.body.tool_choice) === 'none') return true;
      const isForbidden = leaf.value === leaf.key.startsWith('disable');
      return isForbidden === forbidsParallelCalls(upstream);
    },
  },
  {
    name: 'thinking',
    place: THINKING,
    why: 'Efforts, levels and budgets are different units; a missing budget also means off.',
    holds: ({ leaf, upstream }) =>
      isOff(leaf.value) !== asksToThink(upstream) &&
      (SWITCHES.has(leaf.key) || isOff(leaf.value) || measuresThinking(upstream)),
  },
  {
    name: 'details of thoughts',
    formats: ['openai-chat'],
    place: /\.reasoning_details\[\]\.(?:format|index|id|text)$/,
    why: "A router's wrapper around the state of a vendor, which gets its state unchanged; the pieces of a text are joined.",
    holds: ({ leaf, upstream }) => leaf.key !== 'text' || JSON.stringify(upstream.body).includes(String(leaf.value)),
  },
  {
    name: 'shown thoughts',
    place: SHOWN_THOUGHTS,
    values: /^(?:true|false|auto)$/,
    why: "A flag, a kind of summary, or Anthropic's thinking, which is always visible.",
    holds: ({ leaf, upstream }) => (leaf.value !== (leaf.key === 'exclude')) === showsThoughts(upstream),
  },
  {
    name: 'displayed thoughts',
    formats: ['anthropic-messages'],
    place: /^thinking\.display$/,
    why: "The same in Anthropic's format.",
    holds: ({ leaf, upstream }) => (leaf.value === 'summarized') === showsThoughts(upstream),
  },
  {
    name: 'log probabilities',
    place: /^logprobs$|\.response_?logprobs$|^include\[\]$/i,
    values: /^(?:true|message\.output_text\.logprobs)$/,
    why: 'In Responses they are a value of `include`.',
    holds: ({ upstream }) =>
      upstream.hasMember('logprobs', true) || upstream.hasMember('include', 'message.output_text.logprobs'),
  },
  {
    name: 'response format',
    place:
      /(?:^response_format|^text\.format|^output_format|^output_config\.format)\.type$|\.response_?[mM]ime_?[tT]ype$/,
    why: 'A word, a media type, or a schema whose content must arrive; text is the default.',
    holds: ({ leaf, upstream }) => !/json/.test(String(leaf.value)) || asksForJson(upstream),
  },
  {
    name: 'modalities',
    place: /^modalities\[\]$|\.response_?[mM]odalities\[\]$/,
    why: 'The same words in any case; text only is the default.',
    holds: ({ leaf, upstream }) => {
      const kind = typeof leaf.value === 'number' ? (MODALITIES[leaf.value] ?? '') : leaf.value;
      return upstream.hasMember('modalities', kind) || upstream.hasMember('responseModalities', kind);
    },
  },
  {
    name: 'service tier',
    place: /^service_tier$/,
    values: /^(?:auto|default|standard_only|priority)$/,
    why: "Anthropic's `auto` equals OpenAI's `priority` if the account has it, and `standard_only` equals `default`.",
    holds: ({ leaf, upstream }) =>
      (SERVICE_TIERS[String(leaf.value)] ?? []).some((tier) =>
        JSON.stringify([upstream.body.service_tier, upstream.body.serviceTier]).includes(`"${tier}"`),
      ),
  },
  {
    name: 'web search',
    place: /^tools\[\]\.(?:type|name)$/,
    values: /^web_search/,
    why: 'The provider itself runs it, under its own name.',
    holds: ({ upstream }) =>
      /"(?:googleSearch|web_search\w*)"/.test(JSON.stringify([upstream.body.tools, upstream.body.web_search_options])),
  },
  {
    name: 'failed results',
    formats: ['anthropic-messages'],
    place: /\.is_error$/,
    values: /^true$/,
    why: 'Converse has a status, Gemini an `error` member.',
    holds: ({ upstream }) =>
      upstream.hasMember('is_error', true) ||
      upstream.hasMember('status', 'error') ||
      JSON.stringify(upstream.body).includes('"response":{"error":'),
  },
  {
    name: 'media types',
    place: /(?:mime_?[tT]ype|media_type|input_audio\.format)$/,
    why: 'A media type, the prefix of a data URI, or the name of a file format.',
    holds: ({ leaf, upstream }) => hasMediaType(String(leaf.value), upstream),
  },
  {
    name: 'cache marks',
    place: /cache_control\.type$/,
    values: /^ephemeral$/,
    why: 'Converse has a `cachePoint` in the same place, Anthropic the same word.',
    holds: ({ upstream }) => /"(?:cachePoint|cache_control)"/.test(JSON.stringify(upstream.body)),
  },
];

/** A tool that is rightly omitted; its schema is not searched for. */
export const LEFT_OUT: Equivalence = {
  name: 'tools that may not be called',
  place: /^tools\[\]\./,
  why: 'If tools have to be omitted to limit the choice, the loss is reported as one of the choice.',
  holds: ({ leaf, request, fields }) =>
    fields.some((field) => /^tool_?(?:choice|config)/i.test(field)) && mayNotBeCalled(request, leaf.path),
};

/** The numbers of Gemini's `Mode`. */
const MODES: readonly string[] = ['', 'auto', 'any', 'none', 'validated'];

/** The numbers of Gemini's `Modality`. */
const MODALITIES: readonly string[] = ['', 'text', 'image', 'audio', 'video'];

const SERVICE_TIERS: Readonly<Record<string, readonly string[]>> = {
  auto: ['auto'],
  priority: ['priority', 'auto'],
  default: ['default', 'standard_only', 'standard'],
  standard_only: ['standard_only', 'default'],
};

function isEmptyChoice({ body }: ClientRequest): boolean {
  const { tools, allowed_tools: allowed } = asObject(body.tool_choice);
  const names = tools ?? asObject(allowed).tools;
  return Array.isArray(names) && names.length === 0;
}

function holdsToolChoice({ leaf, request, upstream }: LeafContext): boolean {
  const { body } = upstream;
  const choice = JSON.stringify([
    body.tool_choice,
    asObject(asObject(body.toolConfig).functionCallingConfig).mode,
    asObject(body.toolConfig).toolChoice ?? asObject(body.additionalModelRequestFields).tool_choice,
  ]).toLowerCase();
  // Without tools, none can be called.
  const word = typeof leaf.value === 'number' ? MODES[leaf.value] : leaf.value;
  const said = isEmptyChoice(request) ? 'none' : String(word).toLowerCase();
  switch (said) {
    case 'auto':
    case 'validated':
      return !/"(?:none|required|any)"/.test(choice);
    case 'none':
      return choice.includes('"none"') || (body.tools === undefined && body.toolConfig === undefined);
    case 'required':
    case 'any':
      return /"(?:required|any|name)"/.test(choice);
    default:
      // The name of the tool is another leaf.
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
 * Returns whether the turns have the same roles in the same order. Instructions in the middle of a conversation may
 * become user turns, but then their role must be reported as a loss.
 */
function hasSameTurns({ leaf: { path }, request: { format, body }, upstream, fields, left }: LeafContext): boolean {
  const named = format === 'gemini' ? plainPath : (inner: string) => inner;
  const sent = turnsOf(upstream.target, upstream.body, 'none').join();
  // A short user message may be added at the start or end; the loss of the message beside it reports this.
  const all = turnsOf(format, body, 'none').join();
  if (fields.length > 0 && [`user,${all}`, `${all},user`, `user,${all},user`].includes(sent)) return true;
  // Content may move to another role: an image made by the model is sent in a user turn.
  return [left, fields].some((lost) => {
    const isLost = (inner: string) => lost.some((field) => covers(field, named(inner)));
    const turns = turnsOf(format, body, 'none', isLost);
    if (sent === turns.join()) return true;
    // A message may become several if a part of it is sent in another form: the model's image gets a user turn.
    if (fields.some((field) => inMessage.test(named(field))) && isWithin(turns, sent.split(','))) return true;
    return sent === turnsOf(format, body, 'user', isLost).join() && !isMidwayInstruction(format, body, path);
  });
}

/** A path below a message. */
const inMessage = /^messages\[\d+\]\.(?:content|reasoning_details)\b/;

/** Returns whether the turns are a subsequence of the others. */
function isWithin(turns: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const other of others) if (other === turns[at]) at++;
  return at === turns.length;
}

/** Returns whether a chat message is the result of a tool. */
function isResult({ body }: ClientRequest, path: string): boolean {
  const index = Number(/\[(\d+)\]/.exec(path)?.[1]);
  return ['tool', 'function'].includes(String(asObject(asArray(body.messages)[index]).role));
}

/** Returns whether the choice names some tools, but not the one at the path. */
function mayNotBeCalled({ body }: ClientRequest, path: string): boolean {
  const choice = asObject(body.tool_choice);
  const allowed = asArray(choice.tools ?? asObject(choice.allowed_tools).tools).map(nameOf);
  const tool = asArray(body.tools)[Number(/\[(\d+)\]/.exec(path)?.[1])];
  return (choice.type === 'allowed_tools' || allowed.length > 0) && !allowed.includes(nameOf(tool));
}

function nameOf(tool: unknown): unknown {
  const { name, function: called } = asObject(tool);
  return name ?? asObject(called).name;
}
