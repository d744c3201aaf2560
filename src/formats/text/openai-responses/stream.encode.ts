import { FoundationCollector, isFounded } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Citation, MediaPart, ReasoningPart } from '../../../domain/exchange/part.ts';
import type { Finish, TokenLogprob } from '../../../domain/exchange/response.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { objectOf } from '../../shared/json/record.ts';
import type { AnswerContext } from '../client-request.ts';
import type { StreamEncoder } from '../format.ts';
import { incompleteReason, ResponseObject } from './answer.encode.ts';
import { annotationJson } from './citations.ts';
import {
  carrierJson,
  contentJson,
  type ItemStatus,
  imageItem,
  linkOf,
  messageJson,
  type OpenContent,
  reasoningJson,
  saysAnything,
  showsThoughts,
  summaryPartJson,
  toolCallJson,
} from './content.encode.ts';
import { logprobsJson } from './content.ts';
import { errorEvent } from './failure.ts';
import { FORMAT } from './schema.ts';
import { calledName } from './tools.ts';

const NO_THOUGHT: ReasoningPart = { type: 'reasoning', text: '' };

/** The message that texts and refusals are written into, one content part each. */
interface OpenMessage {
  readonly kind: 'message';
  readonly id: string;
  /** JSON texts of the parts that are done. */
  readonly content: string[];
}

interface OpenCall {
  readonly kind: 'call';
  readonly id: string;
  readonly callId: string;
  readonly called: ReturnType<typeof calledName>;
  readonly custom: boolean;
  arguments: string;
}

/** The item of the open reasoning. */
interface OpenReasoning {
  readonly kind: 'reasoning';
  readonly id: string;
}

/**
 * Writes a Responses stream: every event of OpenAI's document (ResponseStreamEvent) that the parts call for, in the order
 * that Open Responses prescribes, numbered without gaps. An item is done when the next one begins or the answer ends, so
 * that an item that was cut short can state this. A reasoning item without a text waits behind a message for the next item.
 * It is left out if none follows, because nothing may follow an answer's last text; the gateway remembers its state.
 */
export class ResponsesStreamEncoder implements StreamEncoder {
  answerJson: string | null = null;

  private object: ResponseObject | null = null;
  private readonly output: string[] = [];
  private item: OpenMessage | OpenCall | OpenReasoning | null = null;
  private content: OpenContent | null = null;
  private readonly isShown: boolean;
  private thought: ReasoningPart = NO_THOUGHT;
  private readonly foundations = new FoundationCollector();
  /** Whether there was output since the last call. */
  private hasSpoken = false;
  /** JSON texts of items. */
  private readonly waiting: string[] = [];
  private usage: Usage | null = null;
  private serviceTier: string | null = null;
  private finish: Finish | null = null;
  private nextSequenceNumber = 0;
  private out = '';

  constructor(private readonly context: AnswerContext) {
    this.isShown = showsThoughts(context);
  }

  encode(part: StreamPart): string {
    // The format has only one answer.
    if ('candidate' in part && part.candidate !== 0) return '';
    if (this.object === null) this.start(part);
    this.take(part);
    const { out } = this;
    this.out = '';
    return out;
  }

  /**
   * Returns the error event and then the failed response: OpenAI's service ends a failed stream in the same way. A text that was
   * cut off is done as incomplete. A call that was cut off is not done, because a client may run every call that is done.
   */
  encodeFailure(failure: Failure): string {
    if (this.object === null) return errorEvent(failure, this.nextSequenceNumber);
    if (this.item?.kind !== 'call') this.closeItem('incomplete');
    this.out += errorEvent(failure, this.nextSequenceNumber++);
    this.event('response.failed', `"response":${this.object.failed(failure, this.output)}`);
    const { out } = this;
    this.out = '';
    return out;
  }

  private take(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        this.textDelta(part.text, part.logprobs);
        break;
      case 'tool-call-delta':
        this.callDelta(part.arguments);
        break;
      case 'reasoning-delta':
        this.reasoningDelta(part.text);
        break;
      case 'refusal-delta':
        this.refusalDelta(part.text);
        break;
      case 'text-start':
      case 'refusal-start':
        this.openContent(part.type === 'text-start' ? 'output_text' : 'refusal');
        break;
      case 'citation':
        this.cite(part.citation);
        break;
      case 'text-end':
      case 'refusal-end':
        this.closeContent();
        if (part.type === 'text-end' && part.state !== undefined) this.foundations.said(part.state);
        break;
      case 'reasoning-start':
        this.beginThought(part);
        break;
      case 'reasoning-end':
        this.endThought(part.state);
        break;
      case 'tool-call-start':
        this.openCall(part);
        break;
      case 'tool-call-end':
        this.endCallText();
        break;
      case 'media':
        this.media(part.part);
        break;
      case 'unknown':
        if (part.part.format === FORMAT) this.wholeItem(JSON.stringify(part.part.value), part.part.value);
        break;
      default:
        this.takeEnd(part);
        break;
    }
  }

  private takeEnd(part: StreamPart): void {
    if (part.type === 'usage') {
      this.usage = part.usage;
      this.serviceTier = part.serviceTier ?? this.serviceTier;
    } else if (part.type === 'finish') {
      this.finish = part.finish;
      this.closeItem(incompleteReason(part.finish) === null ? 'completed' : 'incomplete');
    } else if (part.type === 'end') this.end();
  }

  private start(part: StreamPart): void {
    const { id, created } = part.type === 'start' ? part : { id: null, created: null };
    this.object = new ResponseObject(this.context, id, created);
    const begun = this.object.begun();
    this.event('response.created', `"response":${begun}`);
    this.event('response.in_progress', `"response":${begun}`);
  }

  private end(): void {
    this.closeItem('completed');
    const { output, finish, usage, serviceTier } = this;
    const answer = this.object?.ended({ output, finish, usage, serviceTier }) ?? null;
    const type = incompleteReason(finish) === null ? 'response.completed' : 'response.incomplete';
    this.event(type, `"response":${answer}`);
    this.answerJson = answer;
  }

  /** Writes an event; `members` is JSON text without the braces. */
  private event(type: string, members: string): void {
    this.out += `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.nextSequenceNumber++},${members}}\n\n`;
  }

  // ---- items

  private addItem(json: string): void {
    this.event('response.output_item.added', `"output_index":${this.output.length},"item":${json}`);
  }

  private doneItem(json: string): void {
    this.event('response.output_item.done', `"output_index":${this.output.length},"item":${json}`);
    this.output.push(json);
    this.item = null;
  }

  /** Writes an item that arrives complete. A web search also has the events that show its progress. */
  private wholeItem(json: string, value: unknown = null): void {
    this.closeItem('completed');
    this.releaseWaiting();
    this.addItem(json);
    for (const state of searchStatesOf(value)) {
      const place = `"output_index":${this.output.length},"item_id":${JSON.stringify(objectOf(value).id)}`;
      this.event(`response.web_search_call.${state}`, place);
    }
    this.doneItem(json);
  }

  private releaseWaiting(): void {
    for (const json of this.waiting.splice(0)) {
      this.closeItem('completed');
      this.addItem(json);
      this.doneItem(json);
    }
  }

  private closeItem(status: ItemStatus): void {
    const { item } = this;
    if (item === null) return;
    if (item.kind === 'message') {
      this.closeContent();
      this.doneItem(messageJson(item.id, status, item.content));
    } else if (item.kind === 'call') this.doneItem(this.callJson(item, status));
    else this.closeReasoning(this.thought);
  }

  /** Returns the position of the open item and of its open part. */
  private place(): string {
    return `"item_id":"${this.item?.id ?? ''}","output_index":${this.output.length}`;
  }

  private contentPlace(): string {
    return `${this.place()},"content_index":${this.item?.kind === 'message' ? this.item.content.length : 0}`;
  }

  // ---- messages

  private openContent(kind: OpenContent['kind']): void {
    this.closeContent();
    this.releaseWaiting();
    this.hasSpoken = true;
    if (this.item?.kind !== 'message') {
      this.closeItem('completed');
      this.item = { kind: 'message', id: this.context.newId('msg_'), content: [] };
      this.addItem(messageJson(this.item.id, 'in_progress', []));
    }
    this.content = { kind, text: '', annotations: [], logprobs: [] };
    this.event('response.content_part.added', `${this.contentPlace()},"part":${contentJson(this.content)}`);
  }

  private textDelta(text: string, logprobs: readonly TokenLogprob[] | undefined): void {
    if (this.content?.kind !== 'output_text') this.openContent('output_text');
    if (this.content !== null) this.content.text += text;
    if (logprobs !== undefined) this.content?.logprobs.push(...logprobs);
    const delta = `"delta":${JSON.stringify(text)},"logprobs":${logprobsJson(logprobs)}`;
    this.event('response.output_text.delta', `${this.contentPlace()},${delta}`);
  }

  private refusalDelta(text: string): void {
    if (this.content?.kind !== 'refusal') this.openContent('refusal');
    if (this.content !== null) this.content.text += text;
    this.event('response.refusal.delta', `${this.contentPlace()},"delta":${JSON.stringify(text)}`);
  }

  private cite(citation: Citation): void {
    const { content } = this;
    const annotation = content === null ? null : annotationJson(citation, content.text.length);
    if (content === null || annotation === null) return;
    const where = `${this.contentPlace()},"annotation_index":${content.annotations.length}`;
    content.annotations.push(annotation);
    this.event('response.output_text.annotation.added', `${where},"annotation":${annotation}`);
  }

  private closeContent(): void {
    const { content, item } = this;
    if (content === null || item?.kind !== 'message') return;
    const place = this.contentPlace();
    const text = JSON.stringify(content.text);
    if (content.kind === 'refusal') this.event('response.refusal.done', `${place},"refusal":${text}`);
    else {
      const logprobs = logprobsJson(content.logprobs);
      this.event('response.output_text.done', `${place},"text":${text},"logprobs":${logprobs}`);
    }
    const json = contentJson(content);
    this.event('response.content_part.done', `${place},"part":${json}`);
    item.content.push(json);
    this.content = null;
  }

  // ---- reasoning

  private beginThought({ summary, redacted }: StreamPart & { readonly type: 'reasoning-start' }): void {
    this.thought = { ...NO_THOUGHT, ...(summary ? { summary } : {}), ...(redacted ? { redacted } : {}) };
    if (this.isShown && !this.hasSpoken && !redacted) this.openReasoning();
  }

  private openReasoning(): void {
    this.closeItem('completed');
    this.releaseWaiting();
    this.item = { kind: 'reasoning', id: this.context.newId('rs_') };
    this.addItem(reasoningJson(this.item.id, NO_THOUGHT, this.isShown, 'in_progress'));
  }

  private reasoningDelta(text: string): void {
    if (text === '') return;
    const { thought } = this;
    this.thought = { ...thought, text: thought.text + text };
    if (!this.isShown) return;
    if (this.item?.kind !== 'reasoning') this.openReasoning();
    if (thought.text === '') this.summaryEvent('part.added', `"part":${summaryPartJson('')}`);
    this.summaryEvent('text.delta', `"delta":${JSON.stringify(text)}`);
  }

  private summaryEvent(type: string, members: string): void {
    this.event(`response.reasoning_summary_${type}`, `${this.place()},"summary_index":0,${members}`);
  }

  private endThought(state: OpaqueState | undefined): void {
    const thought: ReasoningPart = { ...this.thought, ...(state === undefined ? {} : { state }) };
    this.thought = NO_THOUGHT;
    if (this.item?.kind === 'reasoning') this.closeReasoning(thought);
    else if (saysAnything(thought, this.isShown)) {
      const json = reasoningJson(this.context.newId('rs_'), thought, this.isShown);
      if (this.hasSpoken) this.waiting.push(json);
      else this.wholeItem(json);
    }
  }

  private closeReasoning(thought: ReasoningPart): void {
    const { item } = this;
    if (item?.kind !== 'reasoning') return;
    if (thought.text !== '') {
      this.summaryEvent('text.done', `"text":${JSON.stringify(thought.text)}`);
      this.summaryEvent('part.done', `"part":${summaryPartJson(thought.text)}`);
    }
    this.doneItem(reasoningJson(item.id, thought, this.isShown));
  }

  // ---- calls

  private openCall(part: StreamPart & { readonly type: 'tool-call-start' }): void {
    this.closeItem('completed');
    this.releaseWaiting();
    const foundation = this.foundations.call(part.state);
    if (isFounded(foundation)) this.wholeItem(carrierJson(this.context.newId('rs_'), foundation));
    this.hasSpoken = false;
    const custom = part.custom === true;
    const id = this.context.newId(custom ? 'ctc_' : 'fc_');
    const called = calledName(part.name, this.context.request.tools);
    this.item = { kind: 'call', id, callId: part.id, called, custom, arguments: '' };
    this.addItem(this.callJson(this.item, 'in_progress'));
  }

  private callDelta(text: string): void {
    if (this.item?.kind !== 'call' || text === '') return;
    this.item.arguments += text;
    const type = this.item.custom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta';
    this.event(type, `${this.place()},"delta":${JSON.stringify(text)}`);
  }

  private endCallText(): void {
    const { item } = this;
    if (item?.kind !== 'call') return;
    const text = JSON.stringify(item.arguments);
    if (item.custom) this.event('response.custom_tool_call_input.done', `${this.place()},"input":${text}`);
    else {
      const name = JSON.stringify(item.called.name);
      this.event('response.function_call_arguments.done', `${this.place()},"name":${name},"arguments":${text}`);
    }
  }

  private callJson({ id, callId, called, custom, arguments: text }: OpenCall, status: ItemStatus): string {
    return toolCallJson(id, status, { id: callId, ...called, arguments: text, ...(custom ? { custom } : {}) });
  }

  // ---- images

  private media(part: MediaPart): void {
    const image = imageItem(this.context.newId('ig_'), part);
    const link = linkOf(part);
    if (image !== null) {
      this.closeItem('completed');
      const id = JSON.stringify(image.id);
      this.addItem(`{"id":${id},"type":"image_generation_call","status":"in_progress","result":null}`);
      const place = `"item_id":${id},"output_index":${this.output.length}`;
      for (const step of ['in_progress', 'generating', 'completed']) {
        this.event(`response.image_generation_call.${step}`, place);
      }
      this.doneItem(image.json);
    } else if (link !== null) {
      this.openContent('output_text');
      this.textDelta(link, undefined);
      this.closeContent();
    }
  }
}

/** Returns the states of a web search for which there is an event; none for other items. */
function searchStatesOf(value: unknown): readonly string[] {
  const { type, id, status } = objectOf(value);
  if (type !== 'web_search_call' || typeof id !== 'string') return [];
  return status === 'completed' ? ['in_progress', 'searching', 'completed'] : ['in_progress', 'searching'];
}
