import type { Carries, Loss } from '../../../domain/exchange/loss.ts';
import type { Message, Part, ToolCallPart, ToolResultPart, UnknownPart } from '../../../domain/exchange/part.ts';
import type {
  CustomTool,
  ExchangeRequest,
  FunctionTool,
  Tool,
  ToolChoice,
  ToolNamespace,
} from '../../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { StreamDecoder, ToolNames } from '../format.ts';
import type { Quirk } from '../quirk.ts';
import { argumentsOfInput, FreeformReader, INPUT, inputOfArguments } from './freeform-input.ts';
import { isOwnSearch } from './gateway-search.ts';
import { fittingName } from './tool-names.ts';

/** The abilities of an upstream's tools. */
export interface ToolTaker {
  readonly format: string;
  readonly carries: Carries;
  readonly quirks: readonly Quirk[];
  readonly names: ToolNames;
}

const NO_NAMES: ReadonlySet<string> = new Set();

type StartedCall = StreamPart & { readonly type: 'tool-call-start' };

/**
 * Translates the client's tools for one upstream, and the upstream's calls back: freeform tools become functions with one text
 * parameter, names that the upstream does not accept are replaced, and dispensable tools are left out. One implementation for all
 * formats, between the client's decoder and the upstream's encoder, and in reverse for the answer.
 */
export class ToolTranslation {
  readonly losses: Loss[] = [];
  private readonly customNames: ReadonlySet<string>;
  /** The client's names, keyed by their replacements. */
  private readonly clientNames = new Map<string, string>();
  /** The result of each call that already has one, by its id. */
  private readonly answered = new Map<string, ToolResultPart>();
  private hasNamespaces = false;
  private hasOwnTools = false;
  private readonly namespacesNoted = new Set<string>();
  /** The client's names of grouped tools, by group and member. */
  private readonly members = new Map<string, string>();

  constructor(
    private readonly original: ExchangeRequest,
    private readonly taker: ToolTaker,
  ) {
    const { tools } = original;
    this.customNames = tools.some(({ type }) => type === 'custom')
      ? new Set(tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])))
      : NO_NAMES;
    for (const tool of tools) {
      if (tool.type !== 'function' && tool.type !== 'custom') continue;
      this.hasOwnTools = true;
      if (tool.namespace !== undefined) this.noteMember(tool.namespace, tool.name);
      const name = this.nameOf(tool.name);
      if (name === tool.name) continue;
      this.clientNames.set(name, tool.name);
      const why = `the upstream does not accept this name, so the tool is renamed to ${name}`;
      this.losses.push({ field: `${tool.path ?? 'tools'}.name`, verdict: 'approximated', why });
    }
  }

  /** Returns the request in the form that the upstream's encoder accepts; `losses` then has the losses. */
  request(): ExchangeRequest {
    const { original } = this;
    if (original.tools.length === 0 && original.toolChoice === null && !original.messages.some(mayHoldCalls))
      return original;
    const tools = original.tools.flatMap((tool) => this.tool(tool));
    const messages = original.messages.flatMap((message) => this.message(message));
    const toolChoice = original.toolChoice && this.choice(original.toolChoice);
    return { ...original, tools, messages, toolChoice };
  }

  /** Returns the upstream's answer with calls to the client's own tools. */
  response(response: ExchangeResponse): ExchangeResponse {
    if (!this.changesCalls) return response;
    const candidates = response.candidates.map((candidate) => ({
      ...candidate,
      parts: candidate.parts.map((part) => (part.type === 'tool-call' ? this.calledBack(part) : part)),
    }));
    return { ...response, candidates };
  }

  /** Does the same for a stream. */
  decoder(decoder: StreamDecoder): StreamDecoder {
    return this.changesCalls ? new CallRestorer(decoder, (start) => this.startedBack(start)) : decoder;
  }

  private get changesCalls(): boolean {
    return this.customNames.size > 0 || this.clientNames.size > 0 || this.hasNamespaces;
  }

  private get takesCustom(): boolean {
    return this.isOwn || this.taker.carries['custom-tools'] === 'exact';
  }

  /**
   * Whether the upstream speaks the client's own format and supports all its tools: servers other than OpenAI offer Responses
   * with functions only.
   */
  private get isOwn(): boolean {
    return this.original.format === this.taker.format && !hasFunctionsOnly(this.taker.quirks);
  }

  // ---- request

  private tool(tool: Tool): readonly Tool[] {
    this.noteNamespace(tool);
    if (tool.type === 'function') return [this.placed({ ...tool, name: this.nameOf(tool.name) })];
    if (tool.type === 'custom') {
      const custom = this.placed({ ...tool, name: this.nameOf(tool.name) });
      const carriage = this.taker.carries['custom-tools'];
      if (this.takesCustom || carriage === 'exact') return [custom];
      this.losses.push({ field: tool.path ?? 'tools', ...carriage });
      return carriage.verdict === 'approximated' ? [asFunction(custom)] : [];
    }
    const why = this.isOwn ? null : (whyDispensable(tool) ?? this.whyUnsearched(tool));
    if (why === null) return [tool];
    this.losses.push({ field: tool.path ?? 'tools', verdict: 'dropped', why });
    return [];
  }

  /** Moves a tool into the request's own list, for an upstream without namespaces or tools within the conversation. */
  private placed<T extends FunctionTool | CustomTool>(tool: T): T {
    if (this.isOwn) return tool;
    const { namespace: _, path, ...plain } = tool;
    const isElsewhere = this.original.format === this.taker.format && path?.startsWith('input[');
    // The same kind of tool, without two optional members.
    return { ...plain, ...(path === undefined || isElsewhere ? {} : { path }) } as T;
  }

  private noteMember({ name, member }: ToolNamespace, toolName: string): void {
    this.hasNamespaces = true;
    const key = memberKey(name, member);
    if (!this.members.has(key)) this.members.set(key, toolName);
  }

  private noteNamespace(tool: Tool): void {
    const namespace = tool.type === 'function' || tool.type === 'custom' ? tool.namespace : undefined;
    if (namespace === undefined || this.isOwn) return;
    if (this.namespacesNoted.has(namespace.path)) return;
    this.namespacesNoted.add(namespace.path);
    const why = 'only the Responses API has groups of tools; each tool is named after its group and itself';
    this.losses.push({ field: namespace.path, verdict: 'approximated', why });
  }

  /**
   * Returns why the agent works without a search that Codex added by default: the target has none, or only one with a wider reach
   * than the request allows. `null` for a search that the user asked for, which is carried or refused.
   */
  private whyUnsearched({ type, raw }: Exclude<Tool, FunctionTool | CustomTool>): string | null {
    const access = isRecord(raw.value) ? raw.value.external_web_access : undefined;
    if (type !== 'web-search' || raw.format !== 'openai-responses' || typeof access !== 'boolean') return null;
    if (!this.hasOwnTools) return null;
    if (!access) return 'only OpenAI can search its own index without access to the web';
    const { carries, format } = this.taker;
    if (format === 'gemini') return 'Google models before Gemini 3 reject a search together with functions';
    if (format === raw.format) return 'only OpenAI lets a request restrict what a search can access';
    return carries['web-search'] === 'exact'
      ? null
      : 'the provider does not run searches; the other tools are available';
  }

  private choice(choice: ToolChoice): ToolChoice {
    if (choice.mode === 'tool' && this.isOfSearch(choice.name)) {
      const why = 'the provider’s search cannot be chosen by name, so any tool call is required';
      this.losses.push({ field: this.original.names['tool-choice'] ?? 'tool_choice', verdict: 'approximated', why });
      return { mode: 'required' };
    }
    if (choice.mode === 'allowed') return { ...choice, names: choice.names.map((name) => this.nameOf(name)) };
    if (choice.mode !== 'tool') return choice;
    const { mode, custom } = choice;
    return { mode, name: this.nameOf(choice.name), ...(custom && this.takesCustom ? { custom } : {}) };
  }

  /** Returns whether the name is that of a provider's search, which Anthropic's clients choose by name like their own tools. */
  private isOfSearch(name: string): boolean {
    const { tools } = this.original;
    const isNamed = tools.some((tool) => (tool.type === 'function' || tool.type === 'custom') && tool.name === name);
    return !this.isOwn && !isNamed && tools.some(({ type }) => type === 'web-search');
  }

  private message(message: Message): readonly Message[] {
    if (message.role !== 'assistant' && message.role !== 'tool') return [message];
    const parts = message.parts.flatMap((part) => this.part(part) ?? []);
    if (parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]))
      return [message];
    return parts.length === 0 && message.parts.length > 0 ? [] : [{ ...message, parts }];
  }

  private part(part: Part): Part | null {
    if (part.type === 'unknown' && isOwnSearch(part)) return null;
    if (part.type === 'unknown' && !this.isOwn && declaresTools(part)) {
      const why = 'only the Responses API adds tools during a conversation; so they are declared from the start';
      this.losses.push({ field: part.path ?? 'messages', verdict: 'approximated', why });
      return null;
    }
    if (part.type === 'tool-call') {
      this.answered.delete(part.id);
      const name = this.nameOfUsed(part.name, part.path);
      const call = name === part.name ? part : { ...part, name };
      if (!part.custom || this.takesCustom) return call;
      const { custom: _, ...plain } = call;
      return { ...plain, arguments: argumentsOfInput(part.arguments) };
    }
    if (part.type !== 'tool-result') return part;
    if (this.isTwice(part)) return null;
    const result = this.result(part);
    if (!part.custom || this.takesCustom) return result;
    const { custom: _, ...plain } = result;
    return plain;
  }

  /**
   * Returns whether the result is a duplicate: Gemini CLI sends each result twice when it resumes a conversation; other APIs
   * refuse a second one.
   */
  private isTwice(part: ToolResultPart): boolean {
    const before = this.answered.get(part.id);
    this.answered.set(part.id, part);
    if (this.isOwn || before === undefined || contentOf(before) !== contentOf(part)) return false;
    const why = 'the call already has the same result, and other formats allow one per call';
    this.losses.push({ field: part.path ?? 'messages', verdict: 'approximated', why });
    return true;
  }

  private result(part: ToolResultPart): ToolResultPart {
    const name = part.name === undefined ? undefined : this.nameOfUsed(part.name, part.path);
    const isPlain = part.content.every(({ type }) => type !== 'unknown');
    if (isPlain && name === part.name) return part;
    const content = part.content.map((one) => this.resultContent(one));
    return { ...part, ...(name === undefined ? {} : { name }), content };
  }

  /** Returns the results of a tool search; for an upstream that already has all the tools, only their names. */
  private resultContent(part: ToolResultPart['content'][number]): ToolResultPart['content'][number] {
    if (part.type !== 'unknown' || part.format === this.taker.format) return part;
    const name = referredTool(part);
    if (name === null) return part;
    const why = 'only the Anthropic API loads tools by reference, so the reference is sent as text';
    const { path } = part;
    this.losses.push({ field: path ?? 'messages', verdict: 'approximated', why });
    const text = `The tool ${this.nameOf(name)} can be called now.`;
    return { type: 'text', text, ...(path === undefined ? {} : { path }) };
  }

  /** Returns the name in a call or a result. The replacement of a declared tool's name is reported once, at its declaration. */
  private nameOfUsed(name: string, path: string | undefined): string {
    const fitting = this.nameOf(name);
    if (fitting !== name && !this.clientNames.has(fitting)) {
      const why = `the upstream does not accept this name, so the call is renamed to ${fitting}`;
      this.losses.push({ field: path ?? 'messages', verdict: 'approximated', why });
    }
    return fitting;
  }

  /** Returns the name to send; a client's own format accepts the client's names. */
  private nameOf(name: string): string {
    return this.original.format === this.taker.format ? name : fittingName(name, this.taker.names);
  }

  // ---- answer

  private calledBack(part: ToolCallPart): ToolCallPart {
    const name = this.clientName(part);
    if (part.custom || !this.customNames.has(name)) return { ...part, name };
    return { ...part, name, custom: true, arguments: inputOfArguments(part.arguments) };
  }

  /**
   * Looks up the group and the member if the upstream states both and the client has declared them, else the name that was sent.
   */
  private clientName({ name, namespace }: Pick<ToolCallPart, 'name' | 'namespace'>): string {
    const declared = namespace === undefined ? undefined : this.members.get(memberKey(namespace, name));
    return declared ?? this.clientNames.get(name) ?? name;
  }

  private startedBack(start: StartedCall): StartedCall {
    const name = this.clientName(start);
    return this.customNames.has(name) ? { ...start, name, custom: true } : { ...start, name };
  }
}

/** Returns what a result says, without its paths. */
function contentOf({ content, isError }: ToolResultPart): string {
  return JSON.stringify([content, isError ?? false], (key, value) => (key === 'path' ? undefined : value));
}

function mayHoldCalls({ role, parts }: Message): boolean {
  return role === 'tool' || parts.some(({ type }) => type === 'tool-call' || type === 'unknown');
}

function memberKey(namespace: string, member: string): string {
  return JSON.stringify([namespace, member]);
}

/** Returns whether some tools of a request in the upstream's own format still have to be translated. */
export function needsToolTranslation(body: Readonly<Record<string, unknown>>, quirks: readonly Quirk[]): boolean {
  return hasFunctionsOnly(quirks) && (hasOpenaiTools(body.tools) || hasOpenaiTools(body.input));
}

/** OpenAI's freeform tools, and the types introduced with them. */
const OPENAI_TOOLS: ReadonlySet<unknown> = new Set(['custom', 'namespace', 'additional_tools', 'custom_tool_call']);

function hasFunctionsOnly(quirks: readonly Quirk[]): boolean {
  const said = quirks.findLast(
    (quirk) => (quirk.kind === 'has' || quirk.kind === 'lacks') && quirk.feature === 'custom-tools',
  );
  return said?.kind === 'lacks' && said.isRefused === true;
}

function hasOpenaiTools(list: unknown): boolean {
  return Array.isArray(list) && list.some((one) => isRecord(one) && OPENAI_TOOLS.has(one.type));
}

/** Restores the names of a stream's calls, and the text of freeform ones. */
class CallRestorer implements StreamDecoder {
  /** Keyed by candidate, while a call is open whose text is inside JSON. */
  private readonly readers = new Map<number, FreeformReader>();

  constructor(
    private readonly decoder: StreamDecoder,
    private readonly restored: (start: StartedCall) => StartedCall,
  ) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    return this.restore(this.decoder.push(piece));
  }

  end(): readonly StreamPart[] {
    return this.restore(this.decoder.end());
  }

  private restore(parts: readonly StreamPart[]): readonly StreamPart[] {
    return parts.flatMap((part) => this.restorePart(part));
  }

  private restorePart(part: StreamPart): readonly StreamPart[] {
    if (part.type === 'tool-call-start') {
      const start = this.restored(part);
      if (start.custom && !part.custom) this.readers.set(part.candidate, new FreeformReader());
      return [start];
    }
    if (part.type !== 'tool-call-delta' && part.type !== 'tool-call-end') return [part];
    const { candidate } = part;
    const reader = this.readers.get(candidate);
    if (reader === undefined) return [part];
    const text = part.type === 'tool-call-delta' ? reader.push(part.arguments) : reader.end();
    const delta: readonly StreamPart[] = text === '' ? [] : [{ type: 'tool-call-delta', candidate, arguments: text }];
    if (part.type === 'tool-call-delta') return delta;
    this.readers.delete(candidate);
    return [...delta, part];
  }
}

/** Returns whether a Responses item declares tools, which its decoder has already added to the request's tools. */
function declaresTools({ format, value }: UnknownPart): boolean {
  return format === 'openai-responses' && isRecord(value) && value.type === 'additional_tools';
}

function referredTool({ format, value }: UnknownPart): string | null {
  if (format !== 'anthropic-messages' || !isRecord(value) || value.type !== 'tool_reference') return null;
  return typeof value.tool_name === 'string' ? value.tool_name : null;
}

/** Returns the function that stands for a freeform tool; a grammar is described in words. */
function asFunction({ name, description, format, path, namespace }: CustomTool): FunctionTool {
  const grammar = isRecord(format) && isRecord(format.grammar) ? format.grammar : null;
  const told = [
    description,
    `Call this function with the tool's whole text as the string \`${INPUT}\`, whatever else is said of its form.`,
    grammar && `The text follows this grammar (${String(grammar.syntax)}):\n${String(grammar.definition)}`,
  ].filter((text) => typeof text === 'string' && text !== '');
  return {
    type: 'function',
    name,
    description: told.join('\n\n'),
    parameters: {
      type: 'object',
      properties: { [INPUT]: { type: 'string', description: "The tool's whole text." } },
      required: [INPUT],
      additionalProperties: false,
    },
    strict: null,
    ...(path === undefined ? {} : { path }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/**
 * Returns why a provider's tool may be left out on upstreams without one of its kind; `null` if the request needs it. These are
 * tools that agents add by default beside their own, and that every answer can do without.
 */
function whyDispensable(tool: Exclude<Tool, FunctionTool | CustomTool>): string | null {
  const { raw } = tool;
  const value = isRecord(raw.value) ? raw.value : {};
  if (raw.format === 'openai-responses') {
    if (value.type === 'tool_search' && value.execution === 'client') {
      return 'only the Responses API can load tools later; the model gets the declared ones';
    }
  }
  if (raw.format === 'anthropic-messages' && /^tool_search_tool_/.test(String(value.type))) {
    return 'only the Anthropic API loads tools later, so the model gets all of them at once';
  }
  return null;
}
