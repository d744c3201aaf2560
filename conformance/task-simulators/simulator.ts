/**
 * A stand-in for one provider of tasks, written from its published document: it checks requests as the document says, and reports the
 * states that a test wants. `conformance/tasks-providers.test.ts` plays every case with every final state through a whole gateway.
 */
export interface TaskSimulator {
  /** The provider's manifest. */
  readonly provider: string;
  /** The channel's key, and its settings where the manifest asks for some. */
  readonly apiKey: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The part of the channel's `base_url` after the server's origin, such as `/v1`; may be empty. */
  readonly basePath: string;
  readonly cases: readonly SimulatedCase[];
  /** The states of a job, in the provider's own words. */
  readonly states: {
    /** In the order in which a job goes through them. */
    readonly working: readonly string[];
    readonly completed: readonly string[];
    readonly failed: readonly string[];
  };
  /** States of `failed` that are the client's own fault (a content filter), which the message of the task says. */
  readonly refused?: readonly string[];
  /**
   * Answers a request at one of the provider's addresses; `null` for an address that it does not have (404). A request that breaks the
   * document (method, credentials, a member that is unknown, missing or of a wrong type) is answered with the provider's own error.
   */
  answer(request: Request, jobs: SimulatedJobs): Promise<Response | null>;
}

export interface SimulatedCase {
  /** The name of the case. */
  readonly name: string;
  readonly endpoint: 'videos' | 'music' | '3d' | 'images';
  readonly upstreamModel: string;
  /** The client's body without `model`. Images are given as `PIXEL_URI`, or by `jobs.fileUrl` of the test's server. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Members that the items of the completed task must have. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** The jobs of one simulated provider, and the files that it serves. */
export interface SimulatedJobs {
  /** The origin of the simulator's server. */
  readonly origin: string;
  /** Begins a job with an id that the provider would give; the test has decided through which states it goes. */
  begin(id: string, request: unknown): void;
  /** The state that this question is answered with; each question moves the job on. `null` for a job that was not begun. */
  stateOf(id: string): string | null;
  /** The same without moving it on. */
  look(id: string): string | null;
  /** The request with which the job was begun. */
  requestOf(id: string): unknown;
  /** A URL of a file that anybody can read: `clip.mp4`, `song.mp3`, `cover.png`, `model.glb`. */
  fileUrl(name: string): string;
  /** Its bytes, for providers that give files only with the key. */
  fileBytes(name: string): Uint8Array<ArrayBuffer>;
}
