import type {
  Citation,
  Message,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from '../../domain/exchange/part.ts';
import type { RestField } from '../../domain/exchange/request.ts';
import { isRecord } from '../shared/record.ts';
import { noteUnknown } from '../shared/rest.ts';
import { stateInField } from '../shared/state-token.ts';
import { cacheMarkOf, decodeContent, isToolContent } from './blocks.ts';
import { citationOf } from './citations.ts';
import { partsOfDetails, plainState, UNKNOWN_ORIGIN } from './reasoning.ts';
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
    'audio',
    'annotations',
    'images',
  ]),
  tool: new Set([...ALL, 'tool_call_id']),
};
const KNOWN_OF_OTHERS = new Set<string>(ALL);
const CALL_MEMBERS = new Set(['id', 'type', 'index', 'function', 'custom', 'extra_content']);
const FUNCTION_MEMBERS = new Set(['name', 'arguments']);
const CUSTOM_MEMBERS = new Set(['name', 'input']);

/** A call that no result has answered yet. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly custom: boolean;
}

/** Reads a conversation; tool results without an id (the old `function` role, Writer's API) find their call by name or order. */
export class MessageDecoder {
  private readonly open: OpenCall[] = [];

  constructor(private readonly rest: RestField[]) {}

  decode(message: unknown, index: number): Message | null {
    if (!isRecord(message)) return null;
    const path = `messages[${index}]`;
    const role = String(message.role);
    noteUnknown(message, KNOWN[role] ?? KNOWN_OF_OTHERS, path, this.rest);
    const parts = withMark(this.partsOf(message, role, path), message);
    const named = role !== 'tool' && role !== 'function' && typeof message.name === 'string';
    return { role: roleOf(role), parts, ...(named ? { name: String(message.name) } : {}), path };
  }

  private partsOf(message: Json, role: string, path: string): Part[] {
    if (role === 'tool' || role === 'function') return [this.toolResult(message, path)];
    if (role === 'assistant') return this.assistantParts(message, path);
    return decodeContent(message.content, `${path}.content`, this.rest);
  }

  private toolResult(message: Json, path: string): ToolResultPart {
    const content = decodeContent(message.content, `${path}.content`, this.rest);
    const name = typeof message.name === 'string' ? message.name : undefined;
    const call = this.answeredCall(message.tool_call_id, name);
    const id = typeof message.tool_call_id === 'string' ? message.tool_call_id : (call?.id ?? `call_${name ?? path}`);
    const callName = name ?? call?.name;
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
    const matches = (call: OpenCall) =>
      typeof id === 'string' ? call.id === id : name === undefined || call.name === name;
    // Results mostly stand in the order of their calls, so that the first one is found at once.
    const at = this.open.findIndex(matches);
    return at < 0 ? undefined : this.open.splice(at, 1)[0];
  }

  private assistantParts(message: Json, path: string): Part[] {
    const content = decodeContent(message.content, `${path}.content`, this.rest);
    const said = content.filter((part) => part.type !== 'text' || part.text !== '');
    const parts: Part[] = [...this.reasoning(message, path), ...this.cited(said, message.annotations, path)];
    if (typeof message.refusal === 'string' && message.refusal !== '') {
      parts.push({ type: 'refusal', text: message.refusal, path: `${path}.refusal` });
    }
    if (Array.isArray(message.images)) {
      parts.push(...decodeContent(message.images, `${path}.images`, this.rest));
    }
    if (isRecord(message.audio) && typeof message.audio.id === 'string') {
      const source = { kind: 'file', id: message.audio.id, format: FORMAT } as const;
      parts.push({ type: 'audio', source, mediaType: null, path: `${path}.audio` });
    }
    const calls = this.calls(message, path);
    this.open.push(...calls.map(({ id, name, custom }) => ({ id, name, custom: custom === true })));
    return [...parts, ...calls];
  }

  /** What a client sends back of an answer's sources belongs to the answer's text. */
  private cited(parts: readonly Part[], annotations: unknown, path: string): readonly Part[] {
    if (!Array.isArray(annotations) || annotations.length === 0) return parts;
    const citations: Citation[] = annotations.flatMap((annotation: unknown) => citationOf(annotation) ?? []);
    const last = parts.findLastIndex((part) => part.type === 'text');
    if (last < 0 || citations.length < annotations.length) {
      const why = 'only an upstream of the same format takes these';
      this.rest.push({ path: `${path}.annotations`, value: annotations, verdict: 'dropped', why });
      return parts;
    }
    return parts.map((part, index) => (index === last && part.type === 'text' ? { ...part, citations } : part));
  }

  private reasoning(message: Json, path: string): ReasoningPart[] {
    const plains = ['reasoning_content', 'reasoning'].flatMap((key) => {
      const text = message[key];
      return typeof text === 'string' && text !== '' ? [{ key, text }] : [];
    });
    const details = Array.isArray(message.reasoning_details) ? message.reasoning_details : [];
    const parts: ReasoningPart[] = partsOfDetails(details, UNKNOWN_ORIGIN).map((part) => ({
      ...part,
      path: `${path}.reasoning_details`,
    }));
    const said = parts.map((part) => part.text).join('');
    const [plain, ...others] = plains;
    if (plain !== undefined && said === '') {
      const state = plainState(UNKNOWN_ORIGIN);
      parts.unshift({ type: 'reasoning', text: plain.text, state, path: `${path}.${plain.key}` });
    }
    const used = said === '' ? (plain?.text ?? '') : said;
    for (const { key, text } of said === '' ? others : plains) {
      if (withoutSpace(text) === withoutSpace(used)) continue;
      const why = 'the message says its reasoning twice, and not the same';
      this.rest.push({ path: `${path}.${key}`, value: text, verdict: 'dropped', why });
    }
    return parts;
  }

  private calls(message: Json, path: string): ToolCallPart[] {
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const parts = calls.flatMap((call: unknown, index) => this.call(call, `${path}.tool_calls[${index}]`) ?? []);
    if (isRecord(message.function_call) && typeof message.function_call.name === 'string') {
      const { name } = message.function_call;
      const place = `${path}.function_call`;
      noteUnknown(message.function_call, FUNCTION_MEMBERS, place, this.rest);
      parts.push({
        type: 'tool-call',
        id: madeUpId(place),
        name,
        arguments: argumentsText(message.function_call.arguments),
        path: place,
      });
    }
    return parts;
  }

  private call(call: unknown, path: string): ToolCallPart | null {
    if (!isRecord(call)) return null;
    const custom = call.type === 'custom' && isRecord(call.custom);
    const said = isRecord(call.custom) && custom ? call.custom : isRecord(call.function) ? call.function : null;
    if (said === null) return null;
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

/** Google's own compatibility shape: `extra_content: {google: {thought_signature}}`. */
function stateOfCall(call: Json) {
  const google = isRecord(call.extra_content) ? call.extra_content.google : null;
  const signature = isRecord(google) ? google.thought_signature : null;
  return typeof signature === 'string' && signature !== '' ? stateInField(signature, 'google') : null;
}

/** JSON text, as it is; some local servers and their clients have the object itself. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The same for the same place in the conversation, so that later turns of it repeat it. */
function madeUpId(path: string): string {
  return `call_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`;
}

function roleOf(role: string): Message['role'] {
  if (role === 'function' || role === 'tool') return 'tool';
  return role === 'system' || role === 'developer' || role === 'assistant' ? role : 'user';
}

/** Some clients mark a whole message; the mark belongs after its last part. */
function withMark(parts: Part[], message: Json): Part[] {
  const cache = isRecord(message.cache_control) ? cacheMarkOf(message) : null;
  const last = parts.at(-1);
  return cache === null || last === undefined ? parts : [...parts.slice(0, -1), { ...last, cache }];
}

function textInstead(part: Part) {
  const text = 'text' in part && typeof part.text === 'string' ? part.text : '';
  return { type: 'text', text, ...(part.path === undefined ? {} : { path: part.path }) } as const;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
