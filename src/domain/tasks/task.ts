import type { ErrorCode } from '../failure/error-codes.ts';
import type { Billable } from '../money/quantity.ts';
import type { RequestTags } from '../usage/request-tags.ts';
import type { AskedWork, JobResult, JobTicket } from './job.ts';
import type { TaskKind } from './task-kind.ts';
import type { TaskStage } from './task-stage.ts';

/** Where a task was, or is being, submitted. */
export interface TaskTarget {
  readonly channelId: string;
  readonly provider: string;
  readonly upstreamModel: string;
  /** The wire over which it is asked for. */
  readonly wire: string;
  /** The account's own channel. */
  readonly isPrivate: boolean;
  /** What was asked for there. */
  readonly asked: AskedWork;
}

/** A file that the gateway keeps for clients in place of the upstream's. */
export interface KeptFile {
  /** Of the media store. */
  readonly id: string;
  readonly expiresAtMs: number;
  readonly mediaType: string;
}

/** The part of an item that a kept file stands for. */
export type FilePart = 'source' | 'cover' | 'video';

/** Kept files by `<index of the item>/<part>`, such as `0/source`. */
export type KeptFiles = Readonly<Record<string, KeptFile>>;

/** How a task ends. Once written it never changes. */
export type TaskEnding =
  | { readonly kind: 'made'; readonly result: JobResult; readonly billable: Billable }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      /** As of a `Failure`. */
      readonly failureKind: string;
      readonly message: string;
    };

/** One piece of work at an upstream that outlives the request for it. All times are in milliseconds since 1970. */
export interface Task {
  /** `task_` and 32 characters. */
  readonly id: string;
  /** Of the request that made it; its hold in the ledger has the same id. */
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly kind: TaskKind;
  /** The public id of the model. */
  readonly modelId: string;
  /** Of the request that made it. */
  readonly tags: RequestTags;
  readonly createdAtMs: number;
  /** When it has failed if it is not done by then. */
  readonly deadlineMs: number;

  readonly stage: TaskStage;
  /** The upstream has said that it works on it, and that it does not only wait for its turn. */
  readonly isProcessing: boolean;
  /** In whole percent. */
  readonly progress: number | null;
  /** `null` until an upstream is asked. */
  readonly target: TaskTarget | null;
  /** `null` until the upstream has taken the job. */
  readonly ticket: JobTicket | null;
  readonly submittedAtMs: number | null;
  /** How often in a row the upstream could not be asked. */
  readonly pollErrors: number;
  /** What the last failed question said; `null` after one that was answered. */
  readonly lastPollError: string | null;
  /** `null` before `closing`. */
  readonly ending: TaskEnding | null;
  readonly kept: KeptFiles;
  /** What was charged, in nano-USD; `null` until it is final, and where no price was known. */
  readonly costNanoUsd: bigint | null;
  /** When it became final. */
  readonly endedAtMs: number | null;
  /** When it is forgotten; `null` until it is final. */
  readonly expiresAtMs: number | null;

  /** The process that looks after it; `null` for none. */
  readonly owner: string | null;
  /** Raised whenever the owner changes: whoever writes has to name it, so that a process that has lost a task cannot. */
  readonly claim: number;
}

/** What changes of a task, together. */
export type TaskChanges = Partial<
  Pick<
    Task,
    | 'stage'
    | 'isProcessing'
    | 'progress'
    | 'target'
    | 'ticket'
    | 'submittedAtMs'
    | 'pollErrors'
    | 'lastPollError'
    | 'ending'
    | 'kept'
    | 'costNanoUsd'
    | 'endedAtMs'
    | 'expiresAtMs'
  >
>;
