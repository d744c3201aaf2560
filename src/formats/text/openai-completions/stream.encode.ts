import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { AnswerContext } from '../client-request.ts';
import type { StreamEncoder } from '../format.ts';
import { encodeUsage } from '../shared/openai-usage.ts';
import { answerId, charactersOf, echoed, finishReason, logprobsJson } from './answer.encode.ts';

/**
 * Writes chunks of text. The last chunk before `[DONE]` carries `_routing`, so a chunk that may be the last waits for the
 * next part.
 */
export class CompletionStreamEncoder implements StreamEncoder {
  /** For each choice that has begun, the length of its tokens in characters. */
  private readonly lengths = new Map<number, number>();
  private readonly prompt: string;
  private readonly wantsUsage: boolean;
  /** The text after the choices: OpenAI writes `usage: null` in every chunk of a stream whose client wants usage. */
  private readonly tail: string;
  /** The beginning of a chunk, up to its choices. */
  private head = '';
  /** The waiting chunk, without its end. */
  private held = '';
  private usage: Usage | null = null;

  constructor(private readonly context: AnswerContext) {
    this.prompt = echoed(context);
    this.wantsUsage = context.parsed.wantsStreamUsage;
    this.tail = this.wantsUsage && context.parsed.omitsNullUsage !== true ? '],"usage":null' : ']';
  }

  encode(part: StreamPart): string {
    switch (part.type) {
      case 'start':
        this.start(part.id, part.created);
        return '';
      case 'usage':
        this.usage = part.usage;
        return '';
      case 'text-delta':
      case 'refusal-delta':
        return this.opening(part.candidate) + this.textDelta(part);
      case 'finish': {
        const opened = this.opening(part.candidate) + this.release();
        this.held = this.unended('', part.candidate, 'null', `"${finishReason(part.finish)}"`);
        return opened;
      }
      case 'end':
        return this.end();
      // Reasoning is not part of the text, and a request of this format cannot ask for calls or media.
      default:
        return '';
    }
  }

  private start(id: string | null, created: number | null): void {
    const { publicModel } = this.context;
    const named = `"id":${JSON.stringify(answerId(id, this.context))},"object":"text_completion"`;
    const made = `"created":${created ?? this.context.created},"model":${JSON.stringify(publicModel)}`;
    this.head = `data: {${named},${made},"choices":[`;
  }

  /** Returns the chunk with the prompt, with which a choice begins if the client asked for `echo`. */
  private opening(candidate: number): string {
    if (this.lengths.has(candidate)) return '';
    if (this.head === '') this.start(null, null);
    this.lengths.set(candidate, 0);
    return this.prompt === '' ? '' : this.chunk(this.prompt, candidate, 'null');
  }

  private textDelta(part: Extract<StreamPart, { type: 'text-delta' | 'refusal-delta' }>): string {
    const { text, candidate } = part;
    if (part.type === 'refusal-delta' || part.logprobs === undefined) return this.chunk(text, candidate, 'null');
    const offset = this.lengths.get(candidate) ?? 0;
    const length = part.logprobs.reduce((sum, { token }) => sum + charactersOf(token), 0);
    this.lengths.set(candidate, offset + length);
    return this.chunk(text, candidate, logprobsJson(part.logprobs, offset));
  }

  private chunk(text: string, candidate: number, logprobs: string): string {
    return `${this.release()}${this.unended(text, candidate, logprobs, 'null')}}\n\n`;
  }

  private unended(text: string, candidate: number, logprobs: string, reason: string): string {
    const choice = `{"text":${JSON.stringify(text)},"index":${candidate},"logprobs":${logprobs},"finish_reason":${reason}}`;
    return `${this.head}${choice}${this.tail}`;
  }

  private release(): string {
    const { held } = this;
    if (held === '') return '';
    this.held = '';
    return `${held}}\n\n`;
  }

  private end(): string {
    const routing = `,"_routing":${this.context.routing.json}}\n\n`;
    if (this.head === '') this.start(null, null);
    let last: string;
    if (this.wantsUsage && this.usage !== null) {
      last = `${this.release()}${this.head}],"usage":${encodeUsage(this.usage)}${routing}`;
    } else last = `${this.held === '' ? `${this.head}${this.tail}` : this.held}${routing}`;
    this.held = '';
    return `${last}data: [DONE]\n\n`;
  }
}
