import type { RelayedBatch, RelayedLine } from '../../../domain/batches/relayed-batch.ts';

/** A batch at a provider, as this process works on it. */
export class OpenRelay {
  /** Lines that are being added. */
  pending = 0;
  lines = 0;
  bytes = 0;
  isWorking = false;
  /** Whether all results that the provider has were stored. The other lines go back. */
  isRead = false;
  dueMs = 0;
  polls = 0;
  missing = 0;
  broken = 0;
  /** When the gateway's batch ended early. */
  cancelledMs: number | null = null;
  /** Whether the provider has answered the request to cancel. */
  isCancelled = false;
  /** Whether it takes no further lines, since it is about to be submitted. */
  isClosed = false;
  /** Lines whose money is not held, and that may still be in the store. */
  readonly refused: Pick<RelayedLine, 'number' | 'requestId'>[] = [];
  awaySinceMs: number | null = null;
  ready: Promise<boolean> | null = null;
  /** Batches at the provider that are known to be of others. */
  readonly strangers = new Set<string>();

  constructor(
    public relay: RelayedBatch,
    readonly bornMs: number,
    /** The most bytes of its input; only needed while it collects. */
    readonly mostBytes = 0,
  ) {}
}
