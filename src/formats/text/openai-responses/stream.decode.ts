import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { nonEmptyText, saysSomething } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ServerSentEvent } from '../../shared/stream/sse.ts';
import type { DecodeSource, StreamDecoder } from '../format.ts';
import { PartReader } from '../shared/part-reader.ts';
import { modelOf } from '../shared/served-as.ts';
import { createdOf, decodeFinish, tierOf } from './answer.decode.ts';
import { failureInEvent, failureInResponse } from './failure.ts';
import { StreamItem } from './stream.decode.content.ts';
import { usageOfResponse } from './usage.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a Responses stream. Items are emitted one after the other. If an upstream interleaves them (parallel calls), the
 * events of a later item wait until the earlier one is done. Events that an upstream leaves out (an `added` event, deltas,
 * the `done` of an item) are derived from the other events, at the latest from the final response.
 */
export class ResponsesStreamDecoder implements StreamDecoder {
  private readonly reader = new PartReader({
    onEvent: (event) => this.onEvent(event),
    onEnd: () => this.reader.fail(this.sawEvent ? truncatedStream() : emptyStream()),
  });
  /** In the order of their first event. The first item is the one that is being emitted. */
  private readonly items = new Map<number, StreamItem>();
  private readonly waiting: StreamItem[] = [];
  private started = false;
  private sawEvent = false;
  private calledTool = false;

  constructor(private readonly source: DecodeSource) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    return this.reader.push(piece);
  }

  end(): readonly StreamPart[] {
    return this.reader.end();
  }

  private onEvent({ event: name, data }: ServerSentEvent): void {
    if (data === '[DONE]') return;
    const event = parseJson(data);
    if (event === undefined) this.reader.fail(eventNotJson());
    if (!isRecord(event)) return;
    this.sawEvent = true;
    const type = nonEmptyText(event.type) ?? name ?? '';
    if (type.startsWith('response.')) this.onResponseEvent(type, event);
    else if (type === 'error' || saysSomething(event.error)) this.reader.fail(failureInEvent(event));
  }

  private onResponseEvent(type: string, event: Json): void {
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.start(isRecord(event.response) ? event.response : {});
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.done':
        this.finish(type, isRecord(event.response) ? event.response : {});
        break;
      default:
        this.onItemEvent(type, event);
    }
  }

  private start(response: Json): void {
    if (this.started) return;
    this.started = true;
    const { id, model } = response;
    this.reader.emit({ type: 'start', id: nonEmptyText(id), created: createdOf(response), ...modelOf(model) });
  }

  private onItemEvent(type: string, event: Json): void {
    const index = typeof event.output_index === 'number' ? event.output_index : 0;
    this.start({});
    const item = this.itemAt(index);
    item.take(type, event);
    if (item === this.waiting[0]) this.flush();
  }

  private itemAt(index: number): StreamItem {
    const known = this.items.get(index);
    if (known !== undefined) return known;
    const item = new StreamItem(this.source);
    this.items.set(index, item);
    this.waiting.push(item);
    return item;
  }

  /** Emits the parts of the first item and, while the first item is done, those of the next one. */
  private flush(): void {
    for (;;) {
      const first = this.waiting[0];
      if (first === undefined) return;
      const { parts } = first;
      if (parts.length > 0) {
        for (const part of parts) this.reader.emit(part);
        first.parts = [];
      }
      if (!first.isDone) return;
      if (first.isToolCall) this.calledTool = true;
      this.waiting.shift();
    }
  }

  private finish(type: string, response: Json): void {
    const failure = failureInResponse(response) ?? (type === 'response.failed' ? failureInEvent(response) : null);
    if (failure) {
      this.reader.fail(failure);
      return;
    }
    this.start(response);
    if (Array.isArray(response.output)) {
      response.output.forEach((item: unknown, index) => {
        const known = this.itemAt(index);
        if (isRecord(item) && !known.isDone) known.finish(item);
      });
    }
    for (const item of this.items.values()) item.finish(null);
    this.flush();
    const outcome = type === 'response.incomplete' ? { status: 'incomplete', ...response } : response;
    this.reader.emit({ type: 'finish', candidate: 0, finish: decodeFinish(outcome, this.calledTool) });
    const usage = usageOfResponse(response);
    if (usage) this.reader.emit({ type: 'usage', usage, ...tierOf(response) });
    this.reader.finish();
  }
}
