/*
 * The stages of a batch. `validating`: its input is being read. `running`: its lines are. `finalizing`: every line has its
 * result, and the output is being written. The others are final.
 */
export const BATCH_STAGES = [
  'validating',
  'running',
  'finalizing',
  'completed',
  'failed',
  'expired',
  'cancelled',
] as const;
export type BatchStage = (typeof BATCH_STAGES)[number];

export const FINAL_BATCH_STAGES = [
  'completed',
  'failed',
  'expired',
  'cancelled',
] as const satisfies readonly BatchStage[];

export function isEnded(stage: BatchStage): boolean {
  return (FINAL_BATCH_STAGES as readonly BatchStage[]).includes(stage);
}

/** The API over which a batch was created: OpenAI's files and batches, or Anthropic's message batches. */
export type BatchApi = 'openai' | 'anthropic';

/** Why an input file cannot be run (OpenAI's `errors.data`). */
export interface BatchError {
  readonly code: string;
  readonly message: string;
  /** The member of the line that is wrong; `null` if it is the line or the file as a whole. */
  readonly param: string | null;
  /** Counted from 1; `null` if it is about the file. */
  readonly line: number | null;
}

/** The tokens of all lines that succeeded. */
export interface BatchUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

export const NO_BATCH_USAGE: BatchUsage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };

/** The members of a batch that come from clients or are told to them. Encrypted in the store. */
export interface BatchNotes {
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Empty unless the input was refused. */
  readonly errors: readonly BatchError[];
  /** The model of all its lines; `null` if they differ, or before they are read. */
  readonly model: string | null;
}

/**
 * How a line ended. Lines that succeeded are charged. A line that errored is charged only if an upstream has answered it and a guard has
 * refused the response.
 */
export const LINE_OUTCOMES = ['succeeded', 'errored', 'cancelled', 'expired'] as const;
export type LineOutcome = (typeof LINE_OUTCOMES)[number];

export type LineCounts = Readonly<Record<LineOutcome, number>>;

export const NO_LINES: LineCounts = { succeeded: 0, errored: 0, cancelled: 0, expired: 0 };

/** Many requests that are answered within a day. All times are in milliseconds since 1970. */
export interface Batch {
  /** `batch_` or `msgbatch_`, and 32 characters. */
  readonly id: string;
  readonly accountId: string;
  /** The key that created it, whose rights, limits and money its lines use. */
  readonly keyId: string;
  readonly api: BatchApi;
  /** The path of all its lines, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  /** The file with its lines, one JSON object each; for Anthropic's, the gateway has written it. */
  readonly inputFileId: string;
  readonly createdAtMs: number;
  /** When lines that have not been answered expire. */
  readonly deadlineMs: number;
  /** For how long its output files are kept after its end, in milliseconds; `null` for as long as the gateway keeps them. */
  readonly keepOutputMs: number | null;

  readonly stage: BatchStage;
  /** The number of lines; 0 until the input is read. */
  readonly lines: number;
  /** How its lines have ended so far. The store keeps counts, usage and cost current while lines are finished. */
  readonly counts: LineCounts;
  readonly usage: BatchUsage;
  /** The sum of its charges in nano-USD. */
  readonly costNanoUsd: bigint;
  readonly notes: BatchNotes;
  readonly startedAtMs: number | null;
  readonly cancelAskedAtMs: number | null;
  readonly finalizingAtMs: number | null;
  readonly endedAtMs: number | null;
  /** When it is deleted; `null` until its end. */
  readonly expiresAtMs: number | null;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;

  /** The process that runs it; `null` for none. */
  readonly owner: string | null;
  /** Incremented whenever the owner changes; every write names it, so that a process that has lost a batch cannot write to it. */
  readonly claim: number;
}

export type BatchChanges = Partial<
  Pick<
    Batch,
    | 'stage'
    | 'lines'
    | 'counts'
    | 'usage'
    | 'costNanoUsd'
    | 'notes'
    | 'startedAtMs'
    | 'finalizingAtMs'
    | 'endedAtMs'
    | 'expiresAtMs'
    | 'outputFileId'
    | 'errorFileId'
  >
>;

/** A line of the input file that has no result yet. */
export interface WaitingLine {
  /** Counted from 1, by lines of the file. */
  readonly number: number;
  /** Where it begins in the input file, in bytes. */
  readonly offset: number;
  readonly bytes: number;
  /** Set if the gateway has to run it itself, because a provider's batch has not answered it. */
  readonly isOwn?: true;
}

/** An answered line whose charge may not be written yet. */
export interface NotedCharge {
  readonly number: number;
  /** The line of the output file, as JSON without a line break. */
  readonly json: string;
  readonly costNanoUsd: bigint;
  readonly usage: BatchUsage;
  /** The charge as JSON. */
  readonly charge: string;
}

/** The result of a line. Written once. */
export interface LineResult {
  readonly number: number;
  readonly outcome: LineOutcome;
  /** The line of the output or error file, as JSON without a line break; `null` if the outcome says it all. */
  readonly json: string | null;
  readonly costNanoUsd: bigint;
  readonly usage: BatchUsage;
}
