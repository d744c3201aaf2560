import type { Failure } from '../failure/failure.ts';
import type { ImageTokens } from '../images/images.ts';
import type { Billable } from '../money/quantity.ts';

/* What an upstream says of a job that it has taken. */

/** What a request asks the upstream to make, in the words that prices know; it decides what is reserved and charged. */
export interface AskedWork {
  /** How many videos, songs, 3D models or images; at least 1. */
  readonly count: number;
  /** The length of each in seconds, as it is sent upstream or is known to be the model's own; `null` where the upstream decides. */
  readonly seconds: number | null;
  /** As it is sent upstream or is known to be the model's own, such as `1080p`; `null` where it is not known or does not matter. */
  readonly resolution: string | null;
  /** What else makes it dearer, in the order in which the catalog names it: `['pro', 'audio']` of a price for `1080p/pro/audio`. */
  readonly traits?: readonly string[];
  /** What the request has to read at the price of tokens, where the upstream charges tokens. */
  readonly outputTokens?: number | null;
  /** What images are expected to come to at the price of tokens, all of them together, where their model has such a price. */
  readonly imageTokens?: ImageTokens;
  /** Which of several addresses takes the job, where it can be asked for only there (`TaskWire.find`). */
  readonly address?: string;
}

/** What has to be known to ask for a job again, as short texts. It is stored, and never shown to clients. */
export type JobTicket = Readonly<Record<string, string>>;

/** Where a file is. */
export type FileSource =
  /** An http(s) URL that anybody can read who knows it, for as long as the upstream keeps the file; or a `data:` URI. Where that is for minutes only
   * (`isShortLived`), it is copied if possible. */
  | { readonly kind: 'url'; readonly url: string; readonly isShortLived?: true }
  /**
   * A path below the base address of the channel, or a URL on its host, that is read with the channel's key. `told`: the URL as the
   * upstream gave it, for who has such a key.
   */
  | { readonly kind: 'channel'; readonly url: string; readonly told?: string }
  /** In the answer itself: base64 text, standard alphabet. */
  | { readonly kind: 'base64'; readonly base64: string };

/** One thing that a job has made. Absent members are not known or do not exist. */
export interface MadeItem {
  /** `null` for lyrics, which are text alone. */
  readonly source: FileSource | null;
  /** Such as `video/mp4`, as the upstream says it or its format implies it. */
  readonly mediaType: string | null;
  readonly durationSeconds?: number | null;
  /** A picture of it. */
  readonly cover?: FileSource | null;
  /** The video of a song. */
  readonly video?: FileSource | null;
  readonly title?: string | null;
  readonly lyrics?: string | null;
  readonly tags?: string | null;
  /** The file format, such as `glb`. */
  readonly format?: string | null;
  /** The prompt that the model has really used. */
  readonly revisedPrompt?: string | null;
  /** The upstream's id of a clip, by which a later request can continue it (`continue_clip_id`). */
  readonly clipId?: string | null;
}

export interface JobResult {
  /** At least one. */
  readonly items: readonly MadeItem[];
  /** What was made, where the upstream says it: `1080p`. */
  readonly resolution?: string | null;
  /** Tokens that the upstream bills. */
  readonly tokens?: { readonly input: number; readonly output: number } | null;
  /** The upstream's name for the model. */
  readonly model?: string | null;
  /** What it comes to, where the answer of the upstream itself says that; it is not stored with the result. */
  readonly billable?: Billable;
}

/** How a job stands. */
export type JobReport =
  | {
      readonly state: 'working';
      /** `pending` while it waits for its turn. */
      readonly status: 'pending' | 'processing';
      /** In whole percent, 0 to 100; `null` where the upstream does not say it. */
      readonly progress: number | null;
      /** In place of the ticket until now: the next thing to ask is another one. */
      readonly ticket?: JobTicket;
      /** When to ask again, where the upstream says it or the next question needs no wait (0). */
      readonly afterMs?: number;
    }
  | { readonly state: 'done'; readonly result: JobResult }
  /** The message is for the client: one sentence, without an address or a secret. */
  | { readonly state: 'failed'; readonly failure: Failure };

/** The upstream's answer to a new job. */
export interface Submission {
  readonly ticket: JobTicket;
  readonly report: JobReport;
}
