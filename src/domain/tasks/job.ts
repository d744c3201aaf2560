import type { Failure } from '../failure/failure.ts';
import type { ImageTokens } from '../images/images.ts';
import type { Billable } from '../money/quantity.ts';

/* An upstream's reports about a job that it has accepted. */

/** The work that a request asks the upstream to do, in the terms of prices; it determines the reservation and the charge. */
export interface AskedWork {
  /** The number of videos, songs, 3D models or images; at least 1. */
  readonly count: number;
  /** The length of each in seconds, as sent upstream or known as the model's default; `null` if the upstream decides. */
  readonly seconds: number | null;
  /** The resolution as sent upstream or known as the model's default, such as `1080p`; `null` if unknown or irrelevant. */
  readonly resolution: string | null;
  /** Other factors of the price, in the catalog's order: `['pro', 'audio']` for the price of `1080p/pro/audio`. */
  readonly traits?: readonly string[];
  /** The output tokens, if the upstream charges for tokens. */
  readonly outputTokens?: number | null;
  /** The expected tokens of all images together, if their model has such a price. */
  readonly imageTokens?: ImageTokens;
  /** Which of several endpoints accepts the job, if it can be looked up only there (`TaskWire.find`). */
  readonly address?: string;
}

/** The data needed to poll a job, as short texts. Stored, and never shown to clients. */
export type JobTicket = Readonly<Record<string, string>>;

/** The location of a file. */
export type FileSource =
  /**
   * An http(s) URL, readable by anyone who knows it for as long as the upstream keeps the file, or a `data:` URI. If that is only
   * minutes (`isShortLived`), the file is copied if possible.
   */
  | { readonly kind: 'url'; readonly url: string; readonly isShortLived?: true }
  /**
   * A path below the channel's base address, or a URL on its host, that is read with the channel's key. `told`: the URL as the
   * upstream gave it, for clients with such a key.
   */
  | { readonly kind: 'channel'; readonly url: string; readonly told?: string }
  /** Part of the answer itself: base64 text, standard alphabet. */
  | { readonly kind: 'base64'; readonly base64: string };

/** One result of a job. Absent members are unknown or do not exist. */
export interface MadeItem {
  /** `null` for lyrics, which are text alone. */
  readonly source: FileSource | null;
  /** A type such as `video/mp4`, as the upstream states it or its format implies. */
  readonly mediaType: string | null;
  readonly durationSeconds?: number | null;
  /** A preview picture. */
  readonly cover?: FileSource | null;
  /** The video of a song. */
  readonly video?: FileSource | null;
  readonly title?: string | null;
  readonly lyrics?: string | null;
  readonly tags?: string | null;
  /** The file format, such as `glb`. */
  readonly format?: string | null;
  /** The prompt that the model actually used. */
  readonly revisedPrompt?: string | null;
  /** The upstream's id of a clip, by which a later request can continue it (`continue_clip_id`). */
  readonly clipId?: string | null;
}

export interface JobResult {
  /** At least one. */
  readonly items: readonly MadeItem[];
  /** The resolution of the result, if the upstream states it: `1080p`. */
  readonly resolution?: string | null;
  /** Tokens that the upstream bills. */
  readonly tokens?: { readonly input: number; readonly output: number } | null;
  /** The upstream's name for the model. */
  readonly model?: string | null;
  /** The usage, if the upstream's answer states it; not stored with the result. */
  readonly billable?: Billable;
}

/** The state of a job. */
export type JobReport =
  | {
      readonly state: 'working';
      /** `pending` while it is queued. */
      readonly status: 'pending' | 'processing';
      /** Whole percent, 0 to 100; `null` if the upstream does not report it. */
      readonly progress: number | null;
      /** Replaces the previous ticket if the next poll is a different one. */
      readonly ticket?: JobTicket;
      /** When to poll again, if the upstream states it or the next poll needs no delay (0). */
      readonly afterMs?: number;
    }
  | { readonly state: 'done'; readonly result: JobResult }
  /** The message is for the client: one sentence, without URLs and secrets. */
  | { readonly state: 'failed'; readonly failure: Failure };

/** The upstream's answer to a submission. */
export interface Submission {
  readonly ticket: JobTicket;
  readonly report: JobReport;
}
