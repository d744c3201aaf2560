/**
 * State that only its issuer can read and that a follow-up turn must return unchanged: Claude's thinking signatures, Gemini's
 * thoughtSignature, OpenAI's encrypted reasoning (design, section 3, "Opaque state").
 */
export interface OpaqueState {
  /** The family of models that can read it; several providers may serve one family (Claude at Anthropic, Bedrock and Vertex). */
  readonly family: StateFamily;
  /**
   * The issuer's own text, byte for byte, whose contents only the family knows; empty if the origin is the only information
   * (plain reasoning text of an OpenAI-compatible provider).
   */
  readonly data: string;
  /** The issuer, if the gateway knows it; `null` for state that a client sent in its own format's field. */
  readonly provider: string | null;
  readonly channel: string | null;
}

export type StateFamily = 'anthropic' | 'google' | 'openai-responses' | 'openai-chat' | 'cohere';

/** The target of a request. */
export interface StateReader {
  readonly family: StateFamily;
  readonly provider: string;
  readonly channel: string;
}

/**
 * Families whose state is bound to the key that it was issued to: another organization's key gets a 400 (OpenAI, "Encrypted
 * reasoning items"), and additions of an OpenAI-compatible provider mean nothing to another one.
 */
const BOUND_TO_CHANNEL: ReadonlySet<StateFamily> = new Set(['openai-responses']);
const BOUND_TO_PROVIDER: ReadonlySet<StateFamily> = new Set(['openai-chat', 'cohere']);

/** Returns whether state may be sent to a target: only to its origin. State of unknown origin follows its family. */
export function mayReturnTo(state: OpaqueState, reader: StateReader): boolean {
  if (state.family !== reader.family) return false;
  if (state.channel === null || state.channel === reader.channel) return true;
  if (BOUND_TO_CHANNEL.has(state.family)) return false;
  return !BOUND_TO_PROVIDER.has(state.family) || state.provider === reader.provider;
}
