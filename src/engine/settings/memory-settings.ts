const MIB = 1024 * 1024;

/** The bounds on memory that depend on the size of the machine, in bytes, for one process. */
export interface MemoryBounds {
  /** `server.max_body_bytes` */
  readonly maxBodyBytes: number;
  /** `server.body_memory_bytes` */
  readonly bodyMemoryBytes: number;
  /** `server.max_held_answer_bytes` */
  readonly maxHeldAnswerBytes: number;
  /** `media.max_held_bytes` */
  readonly maxHeldMediaBytes: number;
}

/**
 * The memory that one byte of a request's body occupies while the request runs: the received bytes, the decoded text, the parsed values and
 * the bytes sent upstream. Measured with 5 MB prompts: 3.8 to 4.9.
 */
export const MEMORY_PER_BODY_BYTE = 5;

/** The bounds if memory is plentiful. 50 MiB is the largest body that the contract's clients send. */
export const LARGEST_MEMORY_BOUNDS: MemoryBounds = {
  maxBodyBytes: 50 * MIB,
  bodyMemoryBytes: 2560 * MIB,
  maxHeldAnswerBytes: 1024 * MIB,
  maxHeldMediaBytes: 1024 * MIB,
};

/** A process's other memory: 110 MiB when idle, the answer cache, and uncollected garbage. */
const PROCESS_BYTES = 256 * MIB;
/** A container of less than 342 MiB divides this part nevertheless, since a gateway that accepts no body is useless. */
const LEAST_FREE_PART = 0.25;
/** A fifth is left for uncounted memory, such as socket buffers. */
const SHARES = { bodies: 0.4, answers: 0.2, media: 0.2 };

/**
 * Returns the default bounds for a machine or container with `availableBytes` of memory that `processes` gateway processes share. The
 * memory of all requests then stays below the available memory, so the kernel has no reason to kill a process.
 */
export function memoryBoundsFor(availableBytes: number, processes: number): MemoryBounds {
  const own = availableBytes / processes;
  const free = Math.max(own - PROCESS_BYTES, own * LEAST_FREE_PART);
  const share = (part: number, largest: number) => Math.min(largest, wholeMib(free * part));
  const bodyMemoryBytes = share(SHARES.bodies, LARGEST_MEMORY_BOUNDS.bodyMemoryBytes);
  return {
    // One account may use half of the memory, and one body of the largest size must fit into that half.
    maxBodyBytes: Math.min(LARGEST_MEMORY_BOUNDS.maxBodyBytes, wholeMib(bodyMemoryBytes / 2 / MEMORY_PER_BODY_BYTE)),
    bodyMemoryBytes,
    maxHeldAnswerBytes: share(SHARES.answers, LARGEST_MEMORY_BOUNDS.maxHeldAnswerBytes),
    maxHeldMediaBytes: share(SHARES.media, LARGEST_MEMORY_BOUNDS.maxHeldMediaBytes),
  };
}

function wholeMib(bytes: number): number {
  return Math.max(1, Math.floor(bytes / MIB)) * MIB;
}
