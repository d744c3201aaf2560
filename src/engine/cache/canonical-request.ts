import { createHash } from 'node:crypto';
import { isMedia, type Message, type Part } from '../../domain/exchange/part.ts';
import type { ExchangeRequest, RestField, Tool } from '../../domain/exchange/request.ts';
import { sortedJson } from '../../domain/text/json-text.ts';
import { BodyScan } from '../../formats/shared/request/body-scan.ts';
import type { Steps } from '../../formats/shared/request/steps.ts';

/** The digests of a request (43 characters of base64url). */
export interface RequestDigests {
  /** Covers everything that can change the answer. */
  readonly whole: string;
  /** Covers the same without the question; `null` without a question. */
  readonly partition: string | null;
}

/** The only text of the last turn, if the user wrote that turn. */
export interface Question {
  readonly text: string;
  readonly part: Part;
}

/**
 * Top-level members that cannot change an answer, because they concern billing, naming, storage, framing or speed. `settingsOf` omits the
 * ones that have a place in the canonical request.
 */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...['store', 'usage', 'prediction', 'safety_identifier', 'prompt_cache_retention', 'prompt_cache_options', 'labels'],
]);
/** The same within messages and tools: prompt cache marks, framing, and item ids, which are new in each answer. */
const WITHOUT_EFFECT_INSIDE =
  /^stream_options\.|(?:^|\.)(?:cache_control|prompt_cache_breakpoint)(?:\.|$)|^input\[\d+\]\.(?:id|status)$/;

/** Matches digits or an exponent that a number may not represent exactly. */
const INEXACT = /\d[.\d]{15}|\d[eE][-+]?\d{3}/;

/** The most characters of all arguments of a request. Sorting the members of 20 MB takes two seconds. */
const MOST_SORTED = 256 * 1024;

const utf8 = new TextEncoder();

/**
 * Digests a request. Two requests have the same digests exactly if they ask the same: the order of members, white space, the client's
 * format and members without effect do not count. `salt` holds everything else that distinguishes answers, such as the account and the
 * model. One step for each message.
 */
export function* digestsOf(
  request: ExchangeRequest,
  salt: readonly string[],
  question: Question | null,
): Steps<RequestDigests> {
  const whole = createHash('sha256');
  const partition = question === null ? null : createHash('sha256');
  const settings = sortedJson([salt, settingsOf(request)]);
  whole.update(settings);
  partition?.update(settings);
  const calls = new Calls();
  for (const message of request.messages) {
    yield;
    const text = sortedJson(messageOf(message, calls, null));
    whole.update(text);
    partition?.update(question === null ? text : sortedJson(messageOf(message, calls, question.part)));
  }
  return { whole: whole.digest('base64url'), partition: partition?.digest('base64url') ?? null };
}

/**
 * Returns the question for which equivalent ones are searched; `null` if the last turn is not a single text of the user. `allows` says
 * whether a request with tools or media may have a question.
 */
export function questionOf(
  { messages, tools }: ExchangeRequest,
  allows: { readonly tools: boolean; readonly media: boolean },
): Question | null {
  const last = messages.at(-1);
  if (last?.role !== 'user') return null;
  const isTool = ({ type }: Part) => type === 'tool-call' || type === 'tool-result';
  if (!allows.tools && (tools.length > 0 || messages.some(({ parts }) => parts.some(isTool)))) return null;
  if (!allows.media && messages.some(({ parts }) => parts.some(isMedia))) return null;
  const [part, ...others] = last.parts.filter(({ type }) => type === 'text');
  if (part?.type !== 'text' || others.length > 0) return null;
  const isOther = (one: Part) => one !== part && !isMedia(one);
  return last.parts.some(isOther) || part.text.trim() === '' ? null : { text: part.text, part };
}

/** Numbers a request's tool calls, because their ids only join them with results, and are new in each answer. */
class Calls {
  private mostSorted = MOST_SORTED;
  private readonly known = new Map<string, { readonly number: number; readonly name: string | null }>();

  of(id: string, name: string | null): { readonly number: number; readonly name: string | null } {
    const known = this.known.get(id) ?? { number: this.known.size, name };
    this.known.set(id, known);
    return known;
  }

  /**
   * Returns JSON text with sorted members, since some formats have a value here and others its JSON text. A text that parsing would change
   * is returned as it is.
   */
  sortedText(json: string): string {
    if (json.length > this.mostSorted || INEXACT.test(json)) return json;
    this.mostSorted -= json.length;
    const bytes = utf8.encode(json);
    // A model or a client writes it, so it may nest deeply or repeat a name.
    const scan = new BodyScan(bytes, 0, null);
    scan.run(bytes.length);
    if (scan.failure !== null || scan.isBroken || scan.duplicates.length > 0) return json;
    try {
      return sortedJson(JSON.parse(json));
    } catch {
      return json;
    }
  }
}

function messageOf({ role, name, parts }: Message, calls: Calls, without: Part | null): unknown {
  return [role, name ?? null, parts.map((part) => (part === without ? 'the question' : partOf(part, calls)))];
}

/** Returns everything in a part except its path, its marks, its ids and the issuer of its state. */
function partOf(part: Part, calls: Calls): unknown {
  const { path: _path, cache: _cache, ...rest } = part;
  const state = 'state' in part ? part.state : undefined;
  const issuedState = state === undefined ? null : [state.family, calls.sortedText(state.data)];
  const own: Readonly<Record<string, unknown>> = { ...rest, state: issuedState };
  switch (part.type) {
    case 'tool-call': {
      const { number } = calls.of(part.id, part.name);
      return {
        ...own,
        id: number,
        arguments: part.custom === true ? part.arguments : calls.sortedText(part.arguments),
      };
    }
    case 'tool-result': {
      const call = calls.of(part.id, null);
      // Only some formats repeat the name of the call.
      const name = part.name === call.name ? null : part.name;
      const { structured, content } = part;
      // Text next to a structured value repeats that value.
      const beside = structured === undefined ? content : content.filter(({ type }) => type !== 'text');
      return { ...own, id: call.number, name, content: beside.map((one) => partOf(one, calls)) };
    }
    case 'reasoning':
      return {
        ...own,
        issued: part.issued === undefined ? null : [calls.sortedText(part.issued.state.data), part.issued.callId],
      };
    default:
      return own;
  }
}

/** Returns everything in a request except its messages. Explicit defaults are left out. */
function settingsOf(request: ExchangeRequest): unknown {
  const { format: _format, names: _names, messages: _messages, user: _user, metadata: _metadata, ...rest } = request;
  const { serviceTier: _tier, cacheKey: _cacheKey, ...settings } = rest;
  const { tools, toolChoice, parallelToolCalls, candidateCount, responseFormat, modalities } = settings;
  const hasTools = tools.length > 0;
  return {
    ...settings,
    stop: [...settings.stop].sort(),
    tools: tools.map(toolOf),
    toolChoice: !hasTools || toolChoice?.mode === 'auto' ? null : toolChoice,
    parallelToolCalls: !hasTools || parallelToolCalls === true ? null : parallelToolCalls,
    candidateCount: candidateCount === 1 ? null : candidateCount,
    responseFormat: responseFormat?.type === 'text' ? null : responseFormat,
    modalities: modalities?.length === 1 && modalities[0]?.toLowerCase() === 'text' ? null : modalities,
    rest: restOf(settings.rest),
  };
}

function toolOf(tool: Tool): unknown {
  const { path: _path, ...rest } = tool;
  const own: Readonly<Record<string, unknown>> = rest;
  switch (tool.type) {
    case 'function':
      return { ...own, cache: null, rest: restOf(tool.rest ?? []), namespace: namespaceOf(tool) };
    case 'custom':
      return { ...own, namespace: namespaceOf(tool) };
    default:
      return own;
  }
}

function namespaceOf({ namespace }: Extract<Tool, { type: 'function' | 'custom' }>): unknown {
  return namespace === undefined ? null : [namespace.name, namespace.member, namespace.description];
}

/** Sorts the fields, because the order of the client's body does not count. */
function restOf(rest: readonly RestField[]): readonly unknown[] {
  return rest
    .filter(({ path }) => !WITHOUT_EFFECT.has(path) && !WITHOUT_EFFECT_INSIDE.test(path))
    .map(({ path, value }) => [path, sortedJson(value)])
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
}
