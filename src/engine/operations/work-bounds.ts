import type { Model } from '../../domain/catalog/model.ts';
import type { ModelOperation } from '../../domain/catalog/model-operation.ts';
import type { Quantity } from '../../domain/money/quantity.ts';
import type { LargestRequest } from '../../domain/money/tariff.ts';
import type { AskedWork } from '../../domain/tasks/job.ts';
import type { TaskKind } from '../../domain/tasks/task.ts';
import type { RequestBounds } from '../ports/billing.ts';
import { largestPieces } from '../tasks/work-billable.ts';

/** The assumed length if neither the client nor the catalog states one. */
const ASSUMED_MOST_SECONDS: Readonly<Record<TaskKind, number>> = { video: 15, music: 480, '3d': 0, image: 0 };
/** The assumed tokens if an upstream bills tokens and their number is unknown: a video of ten seconds in 1080p at Seedance has 245,000. */
const ASSUMED_TOKENS = 500_000;
/** How far an upstream's report may exceed its own formula. */
const TOKEN_SPARE = 1.5;

/** The model's defaults in its public contract; `null` if unknown. */
export interface WorkDefaults {
  readonly seconds: number | null;
  readonly mostSeconds: number | null;
  readonly resolution: string | null;
}

export function workDefaults({ parameters }: Pick<Model, 'parameters'>, operation: ModelOperation): WorkDefaults {
  const { duration, seconds, resolution } = parameters[operation] ?? {};
  const length = duration ?? seconds;
  const lengths = (length?.enum ?? []).map(Number).filter(Number.isFinite);
  const most = Math.max(Number(length?.maximum ?? 0), ...lengths);
  const usual = length?.default === undefined ? Number.NaN : Number(length.default);
  return {
    seconds: Number.isFinite(usual) ? usual : null,
    mostSeconds: most > 0 ? most : null,
    resolution: typeof resolution?.default === 'string' ? resolution.default.toLowerCase() : null,
  };
}

/** The largest size of a job at any of the channels that may be asked. */
export class WorkBounds implements RequestBounds {
  constructor(
    private readonly kind: TaskKind,
    private readonly asked: readonly AskedWork[],
    private readonly defaults: WorkDefaults,
  ) {}

  certain(): LargestRequest {
    return { ...this.tokens(), requests: 1, pieces: this.pieces() };
  }

  private tokens(): Pick<LargestRequest, 'inputTokens' | 'outputTokens'> {
    // Image tokens are the gateway's own estimate, which is also what is charged.
    const images = this.asked.map(({ imageTokens }) => imageTokens).filter((tokens) => tokens !== undefined);
    if (this.kind === 'image') {
      return {
        inputTokens: Math.max(0, ...images.map(({ textInput, imageInput }) => textInput + imageInput)),
        outputTokens: Math.max(0, ...images.map(({ textOutput, imageOutput }) => textOutput + imageOutput)),
      };
    }
    const tokens = this.asked.map(({ outputTokens }) => Math.ceil((outputTokens ?? ASSUMED_TOKENS) * TOKEN_SPARE));
    return { inputTokens: 0, outputTokens: Math.max(0, ...tokens) };
  }

  async counted(): Promise<LargestRequest> {
    return this.certain();
  }

  /** Holds never call this: they cap the charge at the cost of `plausible`. */
  isPlausible(): boolean {
    return true;
  }

  plausible(): LargestRequest {
    return this.certain();
  }

  /** Returns the largest amount of each unit and variant at any channel, since only one of them does the work. */
  private pieces(): readonly Quantity<'image' | 'clip' | 'millisecond'>[] {
    const most = this.defaults.mostSeconds ?? ASSUMED_MOST_SECONDS[this.kind];
    const all = new Map<string, Quantity<'image' | 'clip' | 'millisecond'>>();
    for (const asked of this.asked) {
      for (const piece of largestPieces(this.kind, asked, most)) {
        const key = `${piece.unit} ${piece.variant ?? ''}`;
        const known = all.get(key);
        if (known === undefined || known.amount < piece.amount) all.set(key, piece);
      }
    }
    return [...all.values()];
  }
}
