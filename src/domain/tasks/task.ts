import type { ErrorCode } from '../failure/error-codes.ts';
import type { Billable } from '../money/quantity.ts';
import type { ClientIds } from '../trace/call-identity.ts';
import type { RequestTags } from '../usage/request-tags.ts';
import type { GuardVerdict } from '../verdicts/guard-verdict.ts';
import type { AskedWork, JobResult, JobTicket } from './job.ts';

/** The kind of result that a task produces. */
export const TASK_KINDS = ['video', 'music', '3d', 'image'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/*
 * The stages of a task in the gateway. `created`: stored, nothing sent. `submitting`: being sent to the upstream, so it is
 * unknown whether the job was accepted. `submitted`: it was, and is polled. `closing`: the outcome is stored and will not change,
 * but billing and files are not finished. `completed` and `failed` are final.
 */
export const TASK_STAGES = ['created', 'submitting', 'submitted', 'closing', 'completed', 'failed'] as const;
export type TaskStage = (typeof TASK_STAGES)[number];

export const FINAL_STAGES = ['completed', 'failed'] as const satisfies readonly TaskStage[];

/** The stages from which a task may reach each stage; staying in one is also a transition, except in a final one. */
const PREDECESSORS: Readonly<Record<TaskStage, readonly TaskStage[]>> = {
  created: [],
  // After a refusal another channel is tried.
  submitting: ['created', 'submitting'],
  submitted: ['submitting', 'submitted'],
  closing: ['created', 'submitting', 'submitted', 'closing'],
  completed: ['closing'],
  failed: ['closing'],
};

export function predecessorsOf(stage: TaskStage): readonly TaskStage[] {
  return PREDECESSORS[stage];
}

export function isFinal(stage: TaskStage): boolean {
  return stage === 'completed' || stage === 'failed';
}

/** The statuses that clients see (contract, Async task). */
export const TASK_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Where a task was, or is being, submitted. */
export interface TaskTarget {
  readonly channelId: string;
  /** The id of the upstream key; absent for the channel's only one, or the one that it had before it had several. */
  readonly keyId?: string;
  readonly provider: string;
  readonly upstreamModel: string;
  /** The wire over which it is polled. */
  readonly wire: string;
  /** Whether it is the account's own channel. */
  readonly isPrivate: boolean;
  /** The work that was requested there. */
  readonly asked: AskedWork;
}

/** A file that the gateway stores for clients in place of the upstream's. */
export interface KeptFile {
  /** The id in the media store. */
  readonly id: string;
  readonly expiresAtMs: number;
  readonly mediaType: string;
}

/** The part of an item that a stored file replaces. */
export type FilePart = 'source' | 'cover' | 'video';

/** Stored files by `<index of the item>/<part>`, such as `0/source`. */
export type KeptFiles = Readonly<Record<string, KeptFile>>;

/** The members of a client's request that clients see again. Encrypted in the store. */
export interface TaskRequest {
  /** Cut to a length that a list can show. */
  readonly prompt: string;
  /** The text of a length in seconds, such as `8`; `null` if the client gave none. */
  readonly seconds: string | null;
  /** The text of a size in pixels, such as `1280x720`; `null` if the client gave none. */
  readonly size: string | null;
  /** The task whose video this one changes. */
  readonly remixedFrom: string | null;
}

/** The outcome of a task. Once written it never changes. */
export type TaskEnding =
  | { readonly kind: 'made'; readonly result: JobResult; readonly billable: Billable }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      /** See `Failure`. */
      readonly failureKind: string;
      readonly message: string;
    };

/** Work at an upstream that outlives its request. All times are in milliseconds since 1970. */
export interface Task {
  /** `task_` and 32 characters. */
  readonly id: string;
  /** The id of the request that created it; its hold in the ledger has the same id. */
  readonly requestId: string;
  /** The ids that the client gave that request. */
  readonly clientIds: ClientIds;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly kind: TaskKind;
  /** The public id of the model. */
  readonly modelId: string;
  /** The tags of the request that created it. */
  readonly tags: RequestTags;
  /** `null` for a kind of which clients see nothing again. */
  readonly request: TaskRequest | null;
  /** The verdicts of guards on the request that created it; absent if they have found nothing. */
  readonly guards?: readonly GuardVerdict[];
  readonly createdAtMs: number;
  /** The time after which it fails if it is not done. */
  readonly deadlineMs: number;

  readonly stage: TaskStage;
  /** Whether the upstream has reported that it is working on it, as opposed to queueing it. */
  readonly isProcessing: boolean;
  /** Whole percent. */
  readonly progress: number | null;
  /** `null` until it is submitted to an upstream. */
  readonly target: TaskTarget | null;
  /** `null` until the upstream has accepted the job. */
  readonly ticket: JobTicket | null;
  readonly submittedAtMs: number | null;
  /** The number of consecutive failed polls. */
  readonly pollErrors: number;
  /** The error of the last failed poll; `null` after a successful one. */
  readonly lastPollError: string | null;
  /** `null` before `closing`. */
  readonly ending: TaskEnding | null;
  readonly kept: KeptFiles;
  /** The charge in nano-USD; `null` until it is final, and if no price was known. */
  readonly costNanoUsd: bigint | null;
  /** When it became final. */
  readonly endedAtMs: number | null;
  /** When it is deleted; `null` until it is final. */
  readonly expiresAtMs: number | null;
  /** When its account last asked to cancel it; `null` if never, or if the upstream refused. */
  readonly cancelAskedAtMs: number | null;
  /** When its account deleted it; `null` for a task that clients can read. */
  readonly deletedAtMs: number | null;

  /** The process that is responsible for it; `null` for none. */
  readonly owner: string | null;
  /**
   * Incremented whenever the owner changes. Every write has to name it, so that a process that has lost a task cannot write to
   * it.
   */
  readonly claim: number;
}

/** Changes to a task that are written together. */
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
