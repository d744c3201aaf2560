import type { ClientFormat } from '../readers/index.ts';
import { filesIn, isLabelRight } from '../shared/labelled-files.ts';
import type { Leaf } from './json-leaves.ts';
import type { ClientRequest } from './recorded-requests.ts';
import { asksToThink } from './thinking.ts';
import type { UpstreamContent } from './upstream-content.ts';

export interface LeafContext {
  readonly leaf: Leaf;
  readonly request: ClientRequest;
  readonly upstream: UpstreamContent;
  /** The fields that the losses name. */
  readonly fields: readonly string[];
  /** The values that the losses report as omitted. */
  readonly left: readonly string[];
}

/** A leaf that the formats express in different ways, so that a search for its value would fail. */
export interface Equivalence {
  readonly name: string;
  /** All four if omitted. */
  readonly formats?: readonly ClientFormat[];
  /** The leaf's path, with `[]` for each index. */
  readonly place: RegExp;
  /** The values to which it applies; others must arrive unchanged. */
  readonly values?: RegExp;
  readonly why: string;
  readonly holds: (context: LeafContext) => boolean;
}

export const THINKING =
  /^(?:reasoning_effort|reasoning\.(?:effort|max_tokens|enabled)|thinking\.(?:type|budget_tokens)|output_config\.effort|enable_thinking|thinking_budget|chat_template_kwargs\.(?:enable_thinking|thinking|thinking_budget|reasoning_effort))$|\.thinking_?config\.thinking_?(?:level|budget)$/i;
/** Switches, which do not set an amount. */
export const SWITCHES: ReadonlySet<string> = new Set(['type', 'enabled', 'enable_thinking', 'thinking']);
export const SHOWN_THOUGHTS =
  /\.include_?thoughts$|^include_reasoning$|^reasoning\.exclude$|^reasoning\.(?:generate_)?summary$/i;

export const always = () => true;

/** Values that equal the default, so they may be omitted. */
export const DEFAULTS: readonly Equivalence[] = [
  {
    name: 'flags that are off',
    place: /\.thought$|\.is_error$|(?:^|response_?)logprobs$|\.strict$|^background$|\.citations\.enabled$/i,
    values: /^false$/,
    why: 'Off is the default of each.',
    holds: always,
  },
  {
    name: 'unspecified enum values',
    formats: ['gemini'],
    place: /./,
    values: /_UNSPECIFIED$/i,
    why: 'The zero value of an enum equals its absence in protocol buffers.',
    holds: always,
  },
  {
    name: 'cache marks with the default lifetime',
    formats: ['anthropic-messages', 'openai-chat'],
    place: /cache_control\.ttl$/,
    values: /^5m$/,
    why: 'Five minutes is the default; another leaf checks the mark itself.',
    holds: always,
  },
  {
    name: 'text only',
    place: /^modalities\[\]$|\.response_?modalities\[\]$/i,
    values: /^text$/i,
    why: 'The default of every format.',
    holds: always,
  },
  {
    name: 'the default service tier',
    place: /^service_tier$/,
    values: /^auto$/,
    why: 'The default everywhere.',
    holds: always,
  },
  {
    name: 'the standard service tier',
    place: /^service_tier$/,
    values: /^default$/,
    why: 'OpenAI: "the standard pricing and performance", which is what providers without tiers offer.',
    holds: ({ upstream }) => ['gemini', 'cohere-chat'].includes(upstream.target),
  },
  {
    name: 'medium verbosity',
    place: /^(?:text\.)?verbosity$/,
    values: /^medium$/,
    why: 'OpenAI: "The default is `medium`." No other format has this setting.',
    holds: always,
  },
  {
    name: 'unlimited candidate tokens',
    place: /(?:^|\.)top_?[kK]$/,
    values: /^0$/,
    why: 'The default of OpenRouter and Cohere, which then consider all tokens.',
    holds: always,
  },
  {
    name: 'no alternative log probabilities',
    place: /^top_logprobs$|^generation_?config\.logprobs$/i,
    values: /^0$/,
    why: 'No alternatives is the default.',
    holds: always,
  },
  {
    name: 'whole input',
    formats: ['openai-responses'],
    place: /^truncation$/,
    values: /^disabled$/,
    why: 'The default, and the behavior of the other formats.',
    holds: always,
  },
  {
    name: 'streams without obfuscation',
    place: /^stream_options\.include_obfuscation$/,
    values: /^false$/,
    why: "The gateway's streams have none.",
    holds: always,
  },
  {
    name: 'approximate locations',
    place: /\.user_location\.type$/,
    values: /^approximate$/,
    why: 'The only type; the location is another leaf.',
    holds: always,
  },
  {
    name: 'one choice',
    place: /^n$|\.candidate_?[cC]ount$/,
    values: /^1$/,
    why: 'One is the default of all formats, and the maximum of most.',
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
    name: 'sampling at one',
    place: /(?:^|\.)(?:temperature|top_?[pP])$/,
    values: /^1$/,
    why: 'One is the documented default of OpenAI and Anthropic, but not of the others.',
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
    name: 'strict response schemas',
    place: /^(?:response_format(?:\.json_schema)?|text\.format)\.strict$/,
    values: /^true$/,
    why: 'Anthropic, Google and Cohere always enforce response schemas.',
    holds: ({ upstream }) =>
      ['anthropic-messages', 'gemini', 'bedrock-converse', 'cohere-chat'].includes(upstream.target),
  },
  {
    name: 'indexes of calls',
    formats: ['openai-chat'],
    place: /\.tool_calls\[\]\.index$/,
    why: 'Only streams need the index; in a request the order of the list counts.',
    holds: always,
  },
  {
    name: 'empty arguments',
    place: /\.arguments$/,
    values: /^\s*(?:\{\s*\}|null)\s*$/,
    why: 'A call without arguments has an empty object elsewhere; the call itself is found by its name.',
    holds: always,
  },
  {
    name: 'completed items',
    formats: ['openai-responses'],
    place: /^input\[\]\.status$/,
    values: /^completed$/,
    why: 'Items that a client sends back are completed.',
    holds: always,
  },
  {
    name: 'direct callers',
    formats: ['anthropic-messages'],
    place: /\.caller\.type$/,
    values: /^direct$/,
    why: 'The model itself made the call, which is the default without code execution.',
    holds: always,
  },
  {
    name: 'types of fetched files',
    formats: ['gemini'],
    place: /\.file_?[dD]ata\.mime_?[tT]ype$/,
    why: 'The server of a URL declares the type.',
    holds: always,
  },
  {
    name: "ids in a provider's own form",
    place: /(?:tool_calls\[\]|content\[\]|function_?[cC]all|function_?[rR]esponse)\.(?:id|tool_use_id)$|call_id$/,
    values: /[^a-zA-Z0-9_-]|^.{65,}$/,
    why: 'If an API does not accept such ids, they are replaced, equally in a call and its result.',
    holds: always,
  },
  {
    name: 'media types of text',
    place: /(?:mime_?type|media_type)$/i,
    values: /^text\/plain$/,
    why: 'Text that arrives as text needs no media type.',
    holds: always,
  },
  {
    name: 'types of schemas',
    formats: ['gemini', 'openai-chat'],
    place: /\.response_?mime_?type$|^response_format\.type$/i,
    values: /^(?:application\/json|json_schema)$/,
    why: 'It only qualifies the schema, so a reported loss of the schema covers it.',
    holds: ({ fields }) => fields.some((field) => /(?:\.response_?(?:json_?)?|\.json_)schema$/i.test(field)),
  },
  {
    name: 'file names',
    place: /(?:file_?name|document_name)$/,
    why: 'Converse splits the name into a name and a format.',
    holds: ({ leaf, upstream }) => {
      const [, stem = '', ending = ''] = /^(.*)\.(\w+)$/.exec(String(leaf.value)) ?? [];
      return upstream.hasMember('name', stem) && upstream.hasMember('format', ending);
    },
  },
  {
    name: 'names of tools',
    place: /(?:^|\.)name$/,
    values: /^\w[\w-]*-[\w-]*$/,
    why: 'Cohere accepts no dash in a name, so the tool gets a shortened name with a digest.',
    holds: ({ leaf, upstream }) => {
      const beginning = String(leaf.value).replaceAll('-', '_').slice(0, 55);
      return upstream.target === 'cohere-chat' && upstream.hasMatch(new RegExp(`^${beginning}_[0-9a-f]{8}$`));
    },
  },
  {
    name: 'cited documents',
    formats: ['anthropic-messages'],
    place: /\.citations\.enabled$/,
    values: /^true$/,
    why: 'Cohere cites all documents unless told not to.',
    holds: ({ upstream }) => upstream.target === 'cohere-chat' && Array.isArray(upstream.body.documents),
  },
  {
    name: 'number of log probabilities',
    place: /^top_logprobs$|^generation_?config\.logprobs$|^include\[\]$/i,
    values: /^(?:\d+|message\.output_text\.logprobs)$/,
    why: 'Flag and number depend on each other, so a reported loss of one covers the other.',
    holds: ({ fields }) => fields.some((field) => /^(?:top_)?logprobs$|\.response_?logprobs$/i.test(field)),
  },
  {
    name: 'visibility of omitted thoughts',
    place: SHOWN_THOUGHTS,
    why: 'If thinking itself is reported as lost, there is nothing to show.',
    holds: ({ leaf, fields, upstream }) =>
      !asksToThink(upstream) && fields.some((field) => THINKING.test(field) || leaf.path.startsWith(`${field}.`)),
  },
  {
    name: 'media types that the bytes contradict',
    place: /(?:mime_?type|media_type|input_audio\.format)$/i,
    why: 'Providers compare the two, so a file is sent with the type of its first bytes.',
    holds: hasTrueLabel,
  },
];

/** Returns whether the leaf is the wrong label of a file that arrived with the right one. */
function hasTrueLabel({ leaf, request, upstream }: LeafContext): boolean {
  const file = filesIn(request.body).find(({ path }) => pathText(path) === leaf.path);
  if (file === undefined || isLabelRight(file)) return false;
  const bytes = Buffer.from(file.base64, 'base64');
  return filesIn(upstream.body).some((sent) => isLabelRight(sent) && bytes.equals(Buffer.from(sent.base64, 'base64')));
}

function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);
}
