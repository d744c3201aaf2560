/**
 * A simulated provider of tasks, written from its published document: it validates requests by the document, and
 * reports the states that a test sets. `acceptance/sweeps/task-providers.test.ts` plays every case with every final state
 * through a whole gateway.
 */
export interface TaskSimulator {
  /** The provider's manifest. */
  readonly provider: string;
  /** The channel's key, and its settings if the manifest requires any. */
  readonly apiKey: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The part of the channel's `base_url` after the server's origin, such as `/v1`; may be empty. */
  readonly basePath: string;
  readonly cases: readonly SimulatedCase[];
  /** The states of a job, in the provider's own words. */
  readonly states: {
    /** In the order of a job's progress. */
    readonly working: readonly string[];
    readonly completed: readonly string[];
    readonly failed: readonly string[];
  };
  /** States in `failed` that are the client's fault (a content filter), which the task's error reports. */
  readonly refused?: readonly string[];
  /**
   * Answers a request to one of the provider's addresses; `null` for an unknown address (404). A request that violates
   * the document (method, credentials, a member that is unknown, missing or of a wrong type) gets the provider's own
   * error.
   */
  answer(request: Request, jobs: SimulatedJobs): Promise<Response | null>;
}

export interface SimulatedCase {
  /** The name of the case. */
  readonly name: string;
  readonly endpoint: 'videos' | 'music' | '3d' | 'images';
  readonly upstreamModel: string;
  /** The client's body without `model`. Images are `PIXEL_URI`, or `jobs.fileUrl` of the test's server. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Members that the items of the completed task must have. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** The jobs of one simulated provider, and the files that it serves. */
export interface SimulatedJobs {
  /** The origin of the simulator's server. */
  readonly origin: string;
  /** Creates a job with an id in the provider's form; the test sets its states. */
  begin(id: string, request: unknown): void;
  /** Returns the state for this poll and advances the job; `null` for an unknown job. */
  stateOf(id: string): string | null;
  /** Returns the state without advancing the job. */
  look(id: string): string | null;
  /** Returns the request that created the job. */
  requestOf(id: string): unknown;
  /** Returns the URL of a public file: `clip.mp4`, `song.mp3`, `cover.png`, `model.glb`. */
  fileUrl(name: string): string;
  /** Returns its bytes, for providers that require the key for files. */
  fileBytes(name: string): Uint8Array<ArrayBuffer>;
}
