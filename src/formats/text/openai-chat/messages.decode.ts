import type { Citation, Message, Part, ToolCallPart, ToolResultPart } from '../../../domain/exchange/part.ts';
import type { RestField } from '../../../domain/exchange/request.ts';
import { jsonOf } from '../../shared/json/exact-json.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { OpenCalls } from '../shared/open-calls.ts';
import { noteOdd, noteUnknown } from '../shared/rest.ts';
import { stateInField } from '../shared/state-token.ts';
import { citationOf } from './citations.ts';
import { cacheMarkOf, decodeContent, isToolContent } from './content.decode.ts';
import { decodeThoughts } from './reasoning.decode.ts';
import { googleSignature } from './reasoning.ts';
import { FORMAT } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

const ALL = ['role', 'content', 'name', 'cache_control'] as const;

const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  assistant: new Set([
    ...ALL,
    'tool_calls',
    'function_call',
    'refusal',
    'reasoning_content',
    'reasoning',
    'reasoning_details',
    'thinking_blocks',
    'audio',
    'annotations',
    'images',
  ]),
  tool: new Set([...ALL, 'tool_call_id']),
};
const KNOWN_OF_OTHERS = new Set<string>(ALL);
const CALL_MEMBERS = new Set(['id', 'type', 'index', 'function', 'custom', 'extra_content']);
const FUNCTION_MEMBERS = new Set(['name', 'arguments']);
const AUDIO_MEMBERS = new Set(['data', 'expires_at', 'format']);
const CUSTOM_MEMBERS = new Set(['name', 'input']);

/** A call that has no result yet. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly custom: boolean;
}

/**
 * Reads a conversation. Tool results without an id (the old `function` role, Writer's API) are matched to their call by name
 * or by order.
 */
export class MessageDecoder {
  private readonly open = new OpenCalls<OpenCall>();

  constructor(private readonly rest: RestField[]) {}

  decode(message: unknown, index: number): Message | null {
    if (!isRecord(message)) return null;
    const path = `messages[${index}]`;
    const role = String(message.role);
    noteUnknown(message, entryOf(KNOWN, role) ?? KNOWN_OF_OTHERS, path, this.rest);
    const parts = this.withMark(this.partsOf(message, role, path), message, path);
    noteOdd(message, 'name', (value) => typeof value === 'string', path, this.rest);
    const named = role !== 'tool' && role !== 'function' && typeof message.name === 'string';
    return { role: roleOf(role), parts, ...(named ? { name: String(message.name) } : {}), path };
  }

  private partsOf(message: Json, role: string, path: string): Part[] {
    if (role === 'tool' || role === 'function') return [this.toolResult(message, path)];
    if (role === 'assistant') return this.assistantParts(message, path);
    return decodeContent(message.content, `${path}.content`, this.rest).flatMap((part) => this.unthought(part) ?? []);
  }

  /**
   * Turns reasoning outside the assistant's messages into text: Mistral's document allows it in every role's content, other
   * formats only in the assistant's.
   */
  private unthought(part: Part): Part | null {
    if (part.type !== 'reasoning') return part;
    const isText = part.text !== '';
    const why = 'in other formats only the model has thoughts; the readable part is sent as text';
    const verdict = isText ? 'approximated' : 'dropped';
    this.rest.push({ path: part.path ?? 'messages', value: part.text, verdict, why });
    return isText ? textInstead(part) : null;
  }

  /** Adds a mark that a client has set on a whole message; it applies after the message's last part. */
  private withMark(parts: Part[], message: Json, path: string): Part[] {
    const cache = cacheMarkOf(message, path, this.rest);
    const last = parts.at(-1);
    if (cache === null) return parts;
    const marked = { ...cache, path: `${path}.cache_control` };
    if (last !== undefined) return [...parts.slice(0, -1), { ...last, cache: marked }];
    const why = 'an empty message has no part to mark';
    this.rest.push({ path: `${path}.cache_control`, value: message.cache_control, verdict: 'dropped', why });
    return parts;
  }

  private toolResult(message: Json, path: string): ToolResultPart {
    const content = decodeContent(message.content, `${path}.content`, this.rest);
    const name = typeof message.name === 'string' ? message.name : undefined;
    const call = this.answeredCall(message.tool_call_id, name);
    const id = typeof message.tool_call_id === 'string' ? message.tool_call_id : (call?.id ?? `call_${name ?? path}`);
    const callName = name ?? call?.name;
    if (call !== undefined && callName !== call.name) {
      const why = 'formats without result names have only the name of the call, which differs';
      this.rest.push({ path: `${path}.name`, value: callName, verdict: 'approximated', why });
    }
    return {
      type: 'tool-result',
      id,
      ...(callName === undefined ? {} : { name: callName }),
      content: content.map((part) => (isToolContent(part) ? part : textInstead(part))),
      ...(call?.custom ? { custom: true } : {}),
      path,
    };
  }

  private answeredCall(id: unknown, name: string | undefined): OpenCall | undefined {
    return this.open.answer({ id: typeof id === 'string' ? id : undefined, name });
  }

  private assistantParts(message: Json, path: string): Part[] {
    const content = decodeContent(message.content, `${path}.content`, this.rest);
    const said = content.filter((part) => part.type !== 'text' || part.text !== '');
    const parts: Part[] = [...decodeThoughts(message, path, this.rest), ...this.cited(said, message.annotations, path)];
    if (typeof message.refusal === 'string' && message.refusal !== '') {
      parts.push({ type: 'refusal', text: message.refusal, path: `${path}.refusal` });
    }
    if (Array.isArray(message.images)) {
      parts.push(...decodeContent(message.images, `${path}.images`, this.rest));
    }
    if (isRecord(message.audio)) parts.push(...this.spoken(message.audio, said.length > 0, `${path}.audio`));
    const calls = this.calls(message, path);
    for (const { id, name, custom } of calls) this.open.add({ id, name, custom: custom === true });
    return [...parts, ...calls];
  }

  /** Adds the sources of an earlier answer that a client sends back to that answer's text. */
  private cited(parts: readonly Part[], annotations: unknown, path: string): readonly Part[] {
    if (!Array.isArray(annotations) || annotations.length === 0) return parts;
    const citations: Citation[] = annotations.flatMap((annotation: unknown) => citationOf(annotation) ?? []);
    const last = parts.findLastIndex((part) => part.type === 'text');
    if (last < 0 || citations.length < annotations.length) {
      const why = 'only an upstream of the same format accepts these';
      this.rest.push({ path: `${path}.annotations`, value: annotations, verdict: 'dropped', why });
      return parts;
    }
    return parts.map((part, index) => (index === last && part.type === 'text' ? { ...part, citations } : part));
  }

  /** Returns an earlier spoken answer. Its provider still has the audio; other providers get the transcript. */
  private spoken({ id, transcript, ...others }: Json, hasText: boolean, path: string): Part[] {
    noteUnknown(others, AUDIO_MEMBERS, path, this.rest);
    const text = nonEmptyText(transcript);
    if (typeof id !== 'string' || id === '') {
      for (const member of ['data', 'expires_at'] as const) {
        const why = 'the audio of an earlier answer is sent back by its id, which is missing';
        if ((others[member] ?? null) === null) continue;
        this.rest.push({ path: `${path}.${member}`, value: others[member], verdict: 'dropped', why });
      }
      if (text !== null && hasText) {
        const why = 'the answer also has text';
        this.rest.push({ path: `${path}.transcript`, value: text, verdict: 'dropped', why });
      }
      return text === null || hasText ? [] : [{ type: 'text', text, path: `${path}.transcript` }];
    }
    const source = { kind: 'file', id, format: FORMAT } as const;
    if (text === null) return [{ type: 'audio', source, mediaType: null, path }];
    const why = 'the audio is stored at the provider that generated it; its text is sent';
    this.rest.push({ path, value: { id }, verdict: 'approximated', why });
    return hasText ? [] : [{ type: 'text', text, path: `${path}.transcript` }];
  }

  private calls(message: Json, path: string): ToolCallPart[] {
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const parts = calls.flatMap((call: unknown, index) => this.call(call, `${path}.tool_calls[${index}]`) ?? []);
    const old = isRecord(message.function_call) ? this.oldCall(message.function_call, `${path}.function_call`) : null;
    if (old === null) return parts;
    if (parts.length === 0) return [old];
    // Some clients send back both members of servers that write one call under the old and the new name.
    const isSame = parts.some((part) => part.name === old.name && part.arguments === old.arguments);
    const why = isSame ? 'tool_calls has the same call' : 'tool_calls already has the call';
    const verdict = isSame ? 'approximated' : 'dropped';
    this.rest.push({ path: `${path}.function_call`, value: message.function_call, verdict, why });
    return parts;
  }

  /** Reads an old-style call; `null` if it has no content. */
  private oldCall(said: Json, path: string): ToolCallPart | null {
    const name = nonEmptyText(said.name);
    if (name === null) {
      const why = 'it does not name a tool to call';
      if (argumentsText(said.arguments) !== '') this.rest.push({ path, value: said, verdict: 'dropped', why });
      return null;
    }
    noteUnknown(said, FUNCTION_MEMBERS, path, this.rest);
    return { type: 'tool-call', id: madeUpId(path), name, arguments: argumentsText(said.arguments), path };
  }

  private call(call: unknown, path: string): ToolCallPart | null {
    if (!isRecord(call)) return null;
    const custom = isRecord(call.custom) && (call.type === 'custom' || !isRecord(call.function));
    const said = isRecord(call.custom) && custom ? call.custom : isRecord(call.function) ? call.function : null;
    if (said === null) {
      const why = 'a kind of call that only some providers of this format support';
      this.rest.push({ path, value: call, verdict: 'refused', why });
      return null;
    }
    noteUnknown(call, CALL_MEMBERS, path, this.rest);
    noteUnknown(
      said,
      custom ? CUSTOM_MEMBERS : FUNCTION_MEMBERS,
      `${path}.${custom ? 'custom' : 'function'}`,
      this.rest,
    );
    const state = stateOfCall(call);
    return {
      type: 'tool-call',
      id: typeof call.id === 'string' && call.id !== '' ? call.id : madeUpId(path),
      name: String(said.name ?? ''),
      arguments: custom ? String(said.input ?? '') : argumentsText(said.arguments),
      ...(custom ? { custom } : {}),
      ...(state === null ? {} : { state }),
      path,
    };
  }
}

function stateOfCall(call: Json) {
  const signature = googleSignature(call.extra_content);
  return signature === null ? null : stateInField(signature, 'google');
}

/** Returns the arguments as JSON text, unchanged. Some local servers and their clients write the object itself. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : jsonOf(value);
}

/**
 * Returns an id that depends only on the position in the conversation, so that later turns of the conversation get the same id.
 */
function madeUpId(path: string): string {
  return `call_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`;
}

function roleOf(role: string): Message['role'] {
  if (role === 'function' || role === 'tool') return 'tool';
  return role === 'system' || role === 'developer' || role === 'assistant' ? role : 'user';
}

function textInstead(part: Part) {
  const text = 'text' in part && typeof part.text === 'string' ? part.text : '';
  return { type: 'text', text, ...(part.path === undefined ? {} : { path: part.path }) } as const;
}
