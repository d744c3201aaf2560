import type { Failure } from '../../domain/failure/failure.ts';
import type { ModerationRule } from '../../domain/guards/guard.ts';
import { relayRequest } from '../../formats/moderation/openai-moderations/request.ts';
import { garbage } from '../../formats/shared/failure/answer-failure.ts';
import { isRecord, objectOf } from '../../formats/shared/json/record.ts';
import { type AttemptEvents, AttemptLoop, type LoopPorts } from '../call/attempt-loop.ts';
import type { Lane } from '../call/lane.ts';
import { OtherWires } from '../call/other-wires.ts';
import { plan } from '../call/plan.ts';
import type { ResponseMemory } from '../call/response-memory.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { CheckResult, CheckVerdict, GuardCheck, GuardedCallFacts, GuardedContent } from '../guards/guard-check.ts';

/** Texts are joined and cut into pieces of this size, which every moderation model accepts, with an overlap. */
const PIECE = 8_000;
const OVERLAP = 400;
/** More of a request is not judged. */
const MOST_PIECES = 64;
const MOST_IMAGES = 8;
const MOST_ATTEMPTS = 2;
const LONGEST_CATEGORY = 60;

export interface ModerationCheckPorts extends LoopPorts {
  readonly directory: () => Directory;
  readonly answers: ResponseMemory;
}

/** The moderation is not logged separately, because it is part of a logged request. */
const UNRECORDED: AttemptEvents = {
  attemptBegan: () => undefined,
  heard: () => undefined,
  attemptFailed: () => undefined,
  withExtras: () => null,
};

/** A result of the moderation model, for one piece of text or one image. */
type Scores = Readonly<Record<string, unknown>>;

/**
 * Judges content with a model of the shared channels, at the operator's expense, as the semantic cache embeds. Routing and failover work as for a
 * client's request.
 */
export class ModerationCheck implements GuardCheck {
  readonly name = 'moderation';
  private readonly otherWires = new OtherWires();

  constructor(
    private readonly ports: ModerationCheckPorts,
    private readonly rule: ModerationRule,
  ) {}

  get onFailure() {
    return this.rule.onFailure;
  }

  async check(content: GuardedContent, call: GuardedCallFacts, signal: AbortSignal): Promise<CheckResult> {
    const pieces = piecesOf(content.texts);
    const images = this.rule.images ? content.images : [];
    if (pieces.length > MOST_PIECES || images.length > MOST_IMAGES) return { problem: 'too_long' };
    const inputs: unknown[] = images.map((url) => [{ type: 'image_url', image_url: { url } }]);
    if (pieces.length > 0) inputs.unshift(pieces);
    const within = AbortSignal.timeout(this.rule.timeoutMs);
    const both = AbortSignal.any([signal, within]);
    const verdicts = new Map<string, CheckVerdict>();
    try {
      const expected = (input: unknown) => (input === pieces ? pieces.length : 1);
      const all = await Promise.all(inputs.map((input) => this.ask(input, expected(input), call.accountId, both)));
      for (const results of all) {
        if (typeof results === 'string') return { problem: within.aborted ? 'timeout' : results };
        for (const result of results) {
          const matching = this.categoriesOf(result);
          if (matching === null) return { problem: 'unknown_category' };
          for (const rule of matching) verdicts.set(rule, { rule, action: this.rule.action, texts: [] });
        }
      }
    } catch {
      return { problem: within.aborted ? 'timeout' : 'failed' };
    }
    return { verdicts: [...verdicts.values()] };
  }

  /** Returns the rules that a result matches; `null` if it has no score for a category with a threshold. */
  private categoriesOf({ categories, category_scores: scores }: Scores): readonly string[] | null {
    const thresholds = Object.entries(this.rule.thresholds);
    if (thresholds.length === 0) {
      return Object.entries(objectOf(categories)).flatMap(([name, is]) => (is === true ? [ruleOf(name)] : []));
    }
    const found: string[] = [];
    for (const [name, threshold] of thresholds) {
      const score = objectOf(scores)[name];
      if (typeof score !== 'number') return null;
      if (score >= threshold) found.push(ruleOf(name));
    }
    return found;
  }

  /** Resolves to the results, or to why there are none. */
  private async ask(
    input: unknown,
    expected: number,
    accountId: string,
    signal: AbortSignal,
  ): Promise<readonly Scores[] | string> {
    const { ports, rule, otherWires } = this;
    const { clock, random } = ports;
    const ways = ports.directory().sharedWaysFor('moderations', rule.model);
    if (ways === null || ways.targets.length === 0) return 'no_channel';
    const strategy = ways.model.strategy ?? ports.routing.strategy;
    const nowMs = clock.monotonicMs();
    const targets = plan({ ways, accountId, strategy, stream: false, affinity: null, nowMs, random });
    const job = new ModerationOfOne(rule.model, input, expected);
    let release = () => {};
    const buffered = ports.answers.open(accountId, (whenOver) => {
      release = whenOver;
    });
    const routing = { ...ports.routing, maxAttempts: MOST_ATTEMPTS, deadlineMs: rule.timeoutMs };
    try {
      const loop = new AttemptLoop<Target, never>(
        { ...ports, routing },
        { job, outcome: UNRECORDED, accountId, client: { signal, accountId }, buffered, targets, otherWires },
      );
      const result = await loop.run();
      // The upstream's own message may repeat the text, which must not be logged.
      if (!('answer' in result)) return result.failure?.kind ?? 'no_channel';
      result.running.answered();
    } finally {
      release();
    }
    return job.results ?? 'garbage';
  }
}

/** The request for the scores of one input, over the wire of OpenAI's moderations. */
class ModerationOfOne {
  readonly stream = false;
  /** Waiting and retrying the same channel takes too long. */
  readonly repeats = 0;
  results: readonly Scores[] | null = null;

  constructor(
    private readonly model: string,
    private readonly input: unknown,
    private readonly expected: number,
  ) {}

  lane({ upstreamModel }: Target): Lane<never> {
    const { model, input } = this;
    const bytes = new TextEncoder().encode(JSON.stringify({ model, input }));
    return {
      isRelayed: true,
      request: () => ({ body: relayRequest({ model, bytes }, upstreamModel), headers: null, losses: [], extras: null }),
      answer: (answer) => {
        const results = resultsIn(answer);
        if (results === null || results.length !== this.expected) return noModeration();
        this.results = results;
        return { body: '', billable: null, served: { model: null, serviceTier: null } };
      },
    };
  }
}

function resultsIn(answer: Uint8Array): readonly Scores[] | null {
  const { results } = objectOf(parsed(new TextDecoder().decode(answer)));
  if (!Array.isArray(results)) return null;
  const scores = results.filter((one): one is Scores => isRecord(one) && isRecord(one.categories));
  return scores.length === results.length ? scores : null;
}

function noModeration(): Failure {
  return garbage('The upstream did not return a moderation of the whole input.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function piecesOf(texts: readonly string[]): readonly string[] {
  const whole = texts.join('\n');
  const pieces: string[] = [];
  for (let start = 0; start < whole.length && pieces.length <= MOST_PIECES; start += PIECE - OVERLAP) {
    pieces.push(whole.slice(start, start + PIECE));
    if (start + PIECE >= whole.length) break;
  }
  return pieces;
}

/** Returns the rule of a category in verdicts. A model may return anything as its name. */
function ruleOf(category: string): string {
  return `moderation:${category.replace(/[^A-Za-z0-9/_-]/g, '_').slice(0, LONGEST_CATEGORY)}`;
}
