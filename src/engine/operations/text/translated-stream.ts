import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import type { PartObserver, StreamPart } from '../../../domain/exchange/stream-part.ts';
import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { StreamDecoder, StreamEncoder, StreamRelay } from '../../../formats/text/format.ts';
import { drawnByPart } from '../../../formats/text/shared/drawn-images.ts';
import { isHostedSearch } from '../../../formats/text/shared/openai-usage.ts';
import { ProducedText } from '../../../formats/text/shared/produced-text.ts';

const EMPTY = new Uint8Array(0);
const utf8 = new TextEncoder();

/** Returns whether no report of a finished stream has stated its prompt, or its output. */
function lacksReport({ usage, produced }: Pick<StreamRelay, 'usage' | 'produced'>): boolean {
  return usage === null || promptTokens(usage) === 0 || (completionTokens(usage) === 0 && produced.bytes > 0);
}
/** The parts without content, after which another target can still answer instead. A redacted block has its state at its end. */
const OPENING: ReadonlySet<StreamPart['type']> = new Set([
  ...(['start', 'usage', 'text-start', 'reasoning-start', 'refusal-start'] as const),
]);

/** An upstream's stream in the client's format: decoded and encoded part by part, without buffering. */
export class TranslatedStream implements StreamRelay {
  failure: Failure | null = null;
  finished = false;
  started = false;
  opened = false;
  usage: Usage | null = null;
  served: ServedAs = { model: null, serviceTier: null };
  readonly produced = new ProducedText();
  awaitsUsage = false;
  /** See `ResponseStream.owes`. */
  owes = false;
  /** A second observer, in addition to the lane's own. */
  private onlooker: PartObserver | null = null;
  private estimate: Usage | null = null;

  constructor(
    private readonly decoder: StreamDecoder,
    private readonly encoder: StreamEncoder,
    private readonly observer: PartObserver | null,
    /** Whether the client gets the usage at the end of its stream even if the upstream reports none. */
    private readonly tellsUsage = false,
  ) {}

  observe(onlooker: PartObserver): void {
    this.onlooker = onlooker;
  }

  get answerJson(): string | null {
    return this.encoder.answerJson ?? null;
  }

  get mayEnd(): boolean {
    return this.decoder.mayEnd === true;
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.failure || this.finished) return EMPTY;
    return this.write(this.decoder.push(piece));
  }

  end(): Uint8Array {
    if (this.failure || this.finished) return EMPTY;
    const out = this.write(this.decoder.end());
    if (!this.finished && this.failure === null) {
      this.failure = new Failure('upstream_error', {
        kind: 'truncated_stream',
        message: 'The upstream ended the stream before the response was complete.',
      });
    }
    return out;
  }

  /** Encodes the parts of a whole answer to a streaming request. Returns the bytes of the whole stream. */
  writeWhole(parts: readonly StreamPart[]): Uint8Array {
    return this.write(parts);
  }

  encodeFailure(failure: Failure): string | null {
    return this.encoder.encodeFailure?.(failure) ?? null;
  }

  private write(parts: readonly StreamPart[]): Uint8Array {
    let text = '';
    for (const part of parts) {
      if (part.type === 'error') {
        this.failure = part.failure;
        break;
      }
      if (part.type === 'end') {
        this.finished = true;
        this.awaitsUsage = this.tellsUsage && lacksReport(this);
      } else this.note(part);
      this.opened ||= part.type === 'start';
      this.started ||= !OPENING.has(part.type);
      this.observer?.see(part);
      this.onlooker?.see(part);
      if (!this.awaitsUsage) text += this.encoder.encode(part);
    }
    return text === '' ? EMPTY : utf8.encode(text);
  }

  counted(usage: Usage): void {
    this.estimate = usage;
  }

  lastFrames(): Uint8Array {
    if (!this.awaitsUsage) return EMPTY;
    this.awaitsUsage = false;
    const { estimate } = this;
    const told = estimate === null ? '' : this.encoder.encode({ type: 'usage', usage: estimate });
    return utf8.encode(told + this.encoder.encode({ type: 'end' }));
  }

  private note(part: StreamPart): void {
    const { produced } = this;
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        produced.addText(part.text);
        break;
      case 'refusal-delta':
        if (part.byGateway !== true) produced.addText(part.text);
        break;
      case 'tool-call-start':
        produced.addText(part.name);
        break;
      case 'tool-call-delta':
        produced.addText(part.arguments);
        break;
      case 'unknown':
        if (isHostedSearch(part.part.value)) produced.webSearches++;
        break;
      case 'media':
        produced.addDrawn(drawnByPart(part.part));
        break;
      case 'start':
        this.served = { ...this.served, model: part.model ?? null };
        break;
      case 'usage':
        this.usage = part.usage;
        if (part.serviceTier) this.served = { ...this.served, serviceTier: part.serviceTier };
        produced.markReported();
        break;
      default:
    }
  }
}
