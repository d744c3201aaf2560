import { type EmbeddingRequest, unitVector } from '../../domain/embeddings/embeddings.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { embeddingWires } from '../../formats/index.ts';
import { garbage } from '../../formats/shared/failure/answer-failure.ts';
import { type AttemptEvents, AttemptLoop, type LoopPorts } from '../call/attempt-loop.ts';
import type { Lane, LaneRequest } from '../call/lane.ts';
import { OtherWires } from '../call/other-wires.ts';
import { plan } from '../call/plan.ts';
import type { ResponseMemory } from '../call/response-memory.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { Logger } from '../ports/logger.ts';
import type { Embedder } from '../ports/question-index.ts';

/** Embedding models accept between 512 and more than 8,192 tokens, and a single vector says little about a longer text. */
const MOST_CHARACTERS = 16_384;
/** How long a request waits for its question's vector before it proceeds without. */
const WITHIN_MS = 2_000;
const MOST_ATTEMPTS = 2;
/** After this many consecutive timeouts, requests skip the embedding for a while. */
const MOST_LATE = 3;
const REST_MS = 30_000;
/** A reason for a missing vector is logged at most once per this interval. */
const REPORT_MS = 60_000;

export interface ChannelEmbedderPorts extends LoopPorts {
  readonly directory: () => Directory;
  readonly answers: ResponseMemory;
  readonly logger: Pick<Logger, 'warn'>;
}

interface NoVector {
  readonly reason: string;
}

/** The embedding is not logged separately, because it is part of a logged request. */
const UNRECORDED: AttemptEvents = {
  attemptBegan: () => undefined,
  heard: () => undefined,
  attemptFailed: () => undefined,
  withExtras: () => null,
};

/**
 * Embeds with a model of the shared channels, at the operator's expense. Routing and failover work as for a client's request and affect the
 * health of channels, except for timeouts of the embedder's own limit.
 */
export class ChannelEmbedder implements Embedder {
  readonly name: string;
  private readonly otherWires = new OtherWires();
  private late = 0;
  private restsUntilMs = Number.NEGATIVE_INFINITY;
  private reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly ports: ChannelEmbedderPorts,
    /** The public id of the model. */
    private readonly modelId: string,
  ) {
    this.name = modelId;
  }

  async embed(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | null> {
    const { clock } = this.ports;
    if (text === '' || text.length > MOST_CHARACTERS || signal.aborted) return null;
    if (clock.monotonicMs() < this.restsUntilMs) return null;
    const over = new AbortController();
    const limit = new AbortController();
    void this.ports.sleep(WITHIN_MS, over.signal).then(() => {
      if (!over.signal.aborted) limit.abort();
    });
    try {
      const vector = await this.ask(accountId, text, AbortSignal.any([signal, limit.signal]));
      if (!('reason' in vector)) {
        this.late = 0;
        return vector;
      }
      if (limit.signal.aborted) this.wasLate();
      else if (!signal.aborted) this.report(vector.reason);
    } catch (error) {
      this.report(String(error));
    } finally {
      over.abort();
    }
    return null;
  }

  private async ask(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | NoVector> {
    const { ports, otherWires } = this;
    const { clock, random, answers } = ports;
    const ways = ports.directory().sharedWaysFor('embeddings', this.modelId);
    if (ways === null || ways.targets.length === 0)
      return { reason: 'no PLATFORM channel serves it as an embedding model' };
    const strategy = ways.model.strategy ?? ports.routing.strategy;
    const nowMs = clock.monotonicMs();
    const targets = plan({ ways, accountId, strategy, stream: false, affinity: null, nowMs, random });
    const job = new EmbeddingOfOne(requestFor(this.modelId, text));
    let release = () => {};
    const buffered = answers.open(accountId, (whenOver) => {
      release = whenOver;
    });
    const routing = { ...ports.routing, maxAttempts: MOST_ATTEMPTS, deadlineMs: WITHIN_MS };
    const client = { signal, accountId };
    try {
      const loop = new AttemptLoop<Target, never>(
        { ...ports, routing },
        { job, outcome: UNRECORDED, accountId, client, buffered, targets, otherWires },
      );
      const result = await loop.run();
      // The upstream's own message may repeat the text, which must not be logged.
      if (!('answer' in result)) return { reason: result.failure?.kind ?? 'all its channels are cooling down' };
      result.running.answered();
    } finally {
      release();
    }
    return job.vector ?? { reason: 'there is no vector' };
  }

  private wasLate(): void {
    this.late++;
    if (this.late < MOST_LATE) return;
    this.late = 0;
    this.restsUntilMs = this.ports.clock.monotonicMs() + REST_MS;
    this.report(`it took longer than ${WITHIN_MS} ms several times in a row and is paused`);
  }

  private report(reason: string): void {
    const nowMs = this.ports.clock.monotonicMs();
    if (nowMs - this.reportedAtMs < REPORT_MS) return;
    this.reportedAtMs = nowMs;
    this.ports.logger.warn({ modelId: this.modelId, reason }, 'the semantic cache could not embed a prompt');
  }
}

/** The request for one vector, over any embeddings wire. */
class EmbeddingOfOne {
  readonly stream = false;
  /** Waiting and retrying the same channel takes too long. */
  readonly repeats = 0;
  vector: Float32Array | null = null;

  constructor(private readonly asked: EmbeddingRequest) {}

  lane(target: Target): Lane<never> {
    const wire = embeddingWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for embeddings`);
    const { asked } = this;
    return {
      isRelayed: wire.isClients === true,
      request: (): LaneRequest | Failure => {
        const encoded = wire.encodeRequest(asked, target);
        return encoded instanceof Failure ? encoded : { ...encoded, headers: null, extras: null };
      },
      answer: async (bytes, headers) => {
        const decoded = await wire.decodeAnswer(bytes, asked, headers);
        if (decoded instanceof Failure) return decoded;
        const [vector = []] = decoded.vectors;
        this.vector = unitVector(vector);
        if (this.vector === null) return garbage('The upstream returned a zero vector.');
        return { body: '', billable: null, served: { model: decoded.model, serviceTier: null } };
      },
    };
  }
}

function requestFor(model: string, text: string): EmbeddingRequest {
  const body = { model, input: text };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const inputs = { kind: 'texts', texts: [text] } as const;
  return { model, inputs, encoding: 'float', dimensions: null, user: null, bytes, body };
}
