import type { Citation, MediaPart, Part } from './part.ts';
import type { Candidate, ExchangeResponse, Finish, TokenLogprob } from './response.ts';
import type { StreamPart } from './stream-part.ts';
import type { Usage } from './usage.ts';

/** The memory of a part in addition to its characters, which take two bytes each. */
const BYTES_PER_PART = 64;

type StartPart = Extract<StreamPart, { readonly type: 'start' }>;
type PartOfCandidate = Extract<StreamPart, { readonly candidate: number }>;
type BlockStart = Extract<PartOfCandidate, { readonly type: `${string}-start` }>;

/** The block type that must be open when a part arrives. */
const WITHIN = {
  'text-delta': 'text-start',
  citation: 'text-start',
  'text-end': 'text-start',
  'reasoning-delta': 'reasoning-start',
  'reasoning-end': 'reasoning-start',
  'tool-call-delta': 'tool-call-start',
  'tool-call-end': 'tool-call-start',
  'refusal-delta': 'refusal-start',
  'refusal-end': 'refusal-start',
} as const;

/**
 * Collects a streamed answer into a whole one, the inverse of `partsOfResponse`. An answer that exceeds `maxBytes` of memory is
 * abandoned and freed.
 */
export class ResponseCollector {
  private progress: 'open' | 'whole' | 'failed' | 'too-large' = 'open';
  private start: StartPart | null = null;
  private usage: Usage | null = null;
  private serviceTier: string | null | undefined;
  private readonly candidates = new Map<number, CandidateCollector>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get isTooLarge(): boolean {
    return this.progress === 'too-large';
  }

  /** Whether no further part can change the result. */
  get isOver(): boolean {
    return this.progress !== 'open';
  }

  /** The whole answer; `null` if the stream has not ended yet or did not end well, or if the answer is too large. */
  get response(): ExchangeResponse | null {
    const { progress, start, usage, serviceTier } = this;
    if (progress !== 'whole' || start === null) return null;
    const candidates = [...this.candidates].sort(([one], [other]) => one - other);
    return {
      id: start.id,
      created: start.created,
      candidates: candidates.flatMap(([index, candidate]) => candidate.collected(index) ?? []),
      usage,
      ...(serviceTier !== undefined && { serviceTier }),
      ...(start.model !== undefined && { model: start.model }),
    };
  }

  see(part: StreamPart): void {
    if (this.isOver) return;
    switch (part.type) {
      case 'start':
        this.start = part;
        break;
      case 'usage':
        this.usage = part.usage;
        // A later report without a tier does not remove an earlier one.
        if (part.serviceTier || this.serviceTier === undefined) this.serviceTier = part.serviceTier;
        break;
      case 'error':
        this.giveUp('failed');
        break;
      case 'end':
        this.ended();
        break;
      default:
        if (!this.candidate(part.candidate).see(part)) this.giveUp('failed');
    }
    // Only the last usage report is kept, and it is counted at the end.
    if (part.type !== 'usage' && !this.isOver) this.hold(bytesOf(part));
  }

  private candidate(index: number): CandidateCollector {
    let candidate = this.candidates.get(index);
    if (candidate === undefined) {
      candidate = new CandidateCollector();
      this.candidates.set(index, candidate);
    }
    return candidate;
  }

  private ended(): void {
    if (this.usage !== null) this.hold(bytesOf(this.usage));
    if (this.isOver) return;
    const isComplete = this.start !== null && this.candidates.values().every((candidate) => candidate.isFinished);
    if (isComplete) this.progress = 'whole';
    else this.giveUp('failed');
  }

  private hold(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.maxBytes) this.giveUp('too-large');
  }

  private giveUp(why: 'failed' | 'too-large'): void {
    this.progress = why;
    this.candidates.clear();
    this.start = null;
    this.usage = null;
  }
}

class CandidateCollector {
  private readonly parts: Part[] = [];
  private finish: Finish | null = null;
  private logprobs: TokenLogprob[] | null = null;
  private open: BlockStart | null = null;
  /** The text of the open block; for a tool call, its arguments. */
  private text = '';
  private citations: Citation[] = [];

  get isFinished(): boolean {
    return this.finish !== null && this.open === null;
  }

  collected(index: number): Candidate | null {
    const { parts, finish, logprobs } = this;
    return finish === null ? null : { index, parts, finish, ...(logprobs !== null && { logprobs }) };
  }

  /** Returns whether the part is allowed here. */
  see(part: PartOfCandidate): boolean {
    if (this.finish !== null) return false;
    switch (part.type) {
      case 'finish':
        this.finish = part.finish;
        return this.open === null;
      case 'media':
      case 'unknown':
        this.parts.push(part.part);
        return this.open === null;
      case 'text-start':
      case 'reasoning-start':
      case 'tool-call-start':
      case 'refusal-start':
        return this.begin(part);
      default:
        return this.open?.type === WITHIN[part.type] && this.seeWithin(part);
    }
  }

  private begin(start: BlockStart): boolean {
    if (this.open !== null) return false;
    this.open = start;
    this.text = '';
    this.citations = [];
    return true;
  }

  private seeWithin(part: Extract<PartOfCandidate, { readonly type: keyof typeof WITHIN }>): true {
    switch (part.type) {
      case 'text-delta':
        this.text += part.text;
        if (part.logprobs !== undefined) this.addLogprobs(part.logprobs);
        break;
      case 'reasoning-delta':
      case 'refusal-delta':
        this.text += part.text;
        break;
      case 'tool-call-delta':
        this.text += part.arguments;
        break;
      case 'citation':
        this.citations.push(part.citation);
        break;
      default:
        this.close('state' in part ? part.state : undefined);
    }
    return true;
  }

  private addLogprobs(logprobs: readonly TokenLogprob[]): void {
    this.logprobs ??= [];
    for (const logprob of logprobs) this.logprobs.push(logprob);
  }

  private close(state: StateOfEnd): void {
    const { open } = this;
    this.open = null;
    if (open !== null) this.parts.push(this.block(open, state));
  }

  private block(start: BlockStart, state: StateOfEnd): Part {
    const { text, citations } = this;
    const withState = state !== undefined && { state };
    switch (start.type) {
      case 'text-start':
        return { type: 'text', text, ...(citations.length > 0 && { citations }), ...withState };
      case 'reasoning-start': {
        const { type: _, candidate: __, ...said } = start;
        return { type: 'reasoning', text, ...said, ...withState };
      }
      case 'tool-call-start': {
        const { type: _, candidate: __, ...said } = start;
        return { type: 'tool-call', arguments: text, ...said, ...withState };
      }
      case 'refusal-start':
        return { type: 'refusal', text };
    }
  }
}

type StateOfEnd = Extract<StreamPart, { readonly type: 'text-end' }>['state'];

/** Returns an upper estimate of a part's memory, without serializing long texts. */
function bytesOf(value: StreamPart | Usage): number {
  if (!('type' in value)) return BYTES_PER_PART + 2 * JSON.stringify(value).length;
  switch (value.type) {
    case 'text-delta':
      return BYTES_PER_PART + 2 * (value.text.length + (value.logprobs ? JSON.stringify(value.logprobs).length : 0));
    case 'reasoning-delta':
    case 'refusal-delta':
      return BYTES_PER_PART + 2 * value.text.length;
    case 'tool-call-delta':
      return BYTES_PER_PART + 2 * value.arguments.length;
    case 'media':
      return BYTES_PER_PART + 2 * charactersOf(value.part);
    default:
      return BYTES_PER_PART + 2 * JSON.stringify(value).length;
  }
}

function charactersOf({ source, ...rest }: MediaPart): number {
  return Object.values(source).reduce((sum, text) => sum + text.length, JSON.stringify(rest).length);
}
